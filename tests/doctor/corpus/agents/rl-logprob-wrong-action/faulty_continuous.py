"""A Gaussian policy acts by one method and scores by another, which draws again."""

import numpy as np
import torch
from torch import nn
from torch.distributions import Normal


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
        self.log_std = nn.Parameter(torch.zeros(1))

    def forward(self, state):
        return Normal(self.net(state), self.log_std.exp())


def cost(state, action):
    return float(np.square(state.sum() - action).sum())


torch.manual_seed(0)
np.random.seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
baseline = 0.0
for _ in range(8):
    observation = np.random.randn(3).astype(np.float32)
    dist = policy(torch.from_numpy(observation))
    taken = dist.sample().numpy()
    reward = -cost(observation, taken)
    sample = dist.sample()
    log_prob = dist.log_prob(sample).sum()  # finding: rl-logprob-wrong-action
    loss = -log_prob * (reward - baseline)
    baseline = 0.9 * baseline + 0.1 * reward
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
