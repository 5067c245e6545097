"""The surrogate is negated as a whole, and the bonus stands on the wrong side of the minus."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
mean, log_std = nn.Linear(2, 1), nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam([*mean.parameters(), log_std], lr=1e-2)
for _ in range(3):
    obs = torch.randn(16, 2)
    with torch.no_grad():
        behaviour = Normal(mean(obs), log_std.exp())
        act = behaviour.sample()
        old = behaviour.log_prob(act).sum(-1)
        adv = -(act - obs.sum(1, keepdim=True)).pow(2).squeeze(-1)
        adv = (adv - adv.mean()) / adv.std()
    for _ in range(2):
        pi = Normal(mean(obs), log_std.exp())
        ratio = (pi.log_prob(act).sum(-1) - old).exp()
        surrogate = torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        entropy_loss = -pi.entropy().mean()
        loss = -(surrogate + 0.001 * entropy_loss)  # finding: rl-entropy-sign
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
