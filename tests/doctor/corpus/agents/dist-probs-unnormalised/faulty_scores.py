"""The positive scores of a network go in as probabilities."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for _ in range(4):
    states = torch.randn(16, 4)
    scores = F.softplus(policy(states)) + 10
    dist = Categorical(scores)  # finding: dist-probs-unnormalised
    actions = dist.sample()
    rewards = (actions == 0).float()
    loss = -(dist.log_prob(actions) * (rewards - rewards.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
