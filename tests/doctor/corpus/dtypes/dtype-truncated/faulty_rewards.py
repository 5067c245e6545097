"""Rewards go into a tensor of integers."""

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
rng = np.random.default_rng(0)
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(4):
    states = torch.randn(10, 4)
    choice = Categorical(logits=policy(states))
    actions = choice.sample()
    rewards = rng.uniform(0, 1, size=10)
    returns = torch.tensor(np.cumsum(rewards[::-1])[::-1] / 10, dtype=torch.int64)  # finding: dtype-truncated
    loss = -(choice.log_prob(actions) * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
