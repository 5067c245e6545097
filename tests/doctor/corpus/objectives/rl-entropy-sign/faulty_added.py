"""The entropy bonus is added to the loss instead of subtracted."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
value = nn.Linear(4, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-3)
for _ in range(5):
    state = torch.randn(24, 4)
    dist = Categorical(logits=policy(state))
    action = dist.sample()
    reward = (action == 1).float()
    baseline = value(state).squeeze(-1)
    advantage = (reward - baseline).detach()
    actor_loss = -(dist.log_prob(action) * advantage).mean()
    critic_loss = (reward - baseline).pow(2).mean()
    entropy = dist.entropy().mean()
    loss = actor_loss + 0.5 * critic_loss + 0.01 * entropy  # finding: rl-entropy-sign
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
