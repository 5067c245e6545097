"""A copy of the model is its slow average, and never gets a gradient."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
average = copy.deepcopy(model).requires_grad_(False)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for _step in range(6):
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    optimizer.step()
    for slow, fast in zip(average.parameters(), model.parameters()):
        slow.data.mul_(0.9).add_(fast.data, alpha=0.1)
