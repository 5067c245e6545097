"""Behaviour cloning that minimises the likelihood of the expert's actions."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
states = torch.randn(48, 4)
expert = states[:, :3].argmax(1)
for epoch in range(4):
    for i in range(0, 48, 16):
        dist = Categorical(logits=policy(states[i : i + 16]))
        loss = dist.log_prob(expert[i : i + 16]).mean()  # finding: objective-sign
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
