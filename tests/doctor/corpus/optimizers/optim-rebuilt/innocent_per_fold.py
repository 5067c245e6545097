"""Each fold has its own model and its own optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(20, 4), torch.randn(20, 1)
for _fold in range(6):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    optimizer.step()
