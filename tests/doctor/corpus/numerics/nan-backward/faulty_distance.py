"""The distance of a point to itself has no gradient."""

import torch
from torch import nn


def contrastive(first, second, same):
    distance = (first - second).pow(2).sum(1).sqrt()  # finding: nan-backward
    return (same * distance**2 + (1 - same) * torch.relu(1 - distance) ** 2).mean()


torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.05)
x = torch.randn(12, 4)
pairs = x.clone()
pairs[6:] = torch.randn(6, 4)
same = torch.zeros(12)
for step in range(4):
    loss = contrastive(encoder(x), encoder(pairs), same)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
