"""Both log-probabilities are computed in the update, and neither is cut off."""

import torch
import torch.nn as nn
from torch.distributions import Normal


class GaussianPolicy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Linear(3, 2)
        self.log_std = nn.Parameter(torch.zeros(2))

    def forward(self, obs):
        return Normal(self.mu(obs), self.log_std.exp())


def ppo_loss(policy, obs, act, adv, logp_old, clip=0.2):
    logp = policy(obs).log_prob(act).sum(axis=-1)
    ratio = (logp - logp_old).exp()  # finding: rl-ratio-not-detached
    clipped = torch.clamp(ratio, 1 - clip, 1 + clip) * adv
    return -torch.min(ratio * adv, clipped).mean()


torch.manual_seed(0)
pi = GaussianPolicy()
optimizer = torch.optim.Adam(pi.parameters(), lr=3e-4)
for epoch in range(5):
    obs = torch.randn(12, 3)
    dist = pi(obs)
    act = dist.sample()
    logp_old = dist.log_prob(act).sum(axis=-1)
    adv = -(act - obs[:, :2]).pow(2).sum(-1)
    loss = ppo_loss(pi, obs, act, adv, logp_old)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
