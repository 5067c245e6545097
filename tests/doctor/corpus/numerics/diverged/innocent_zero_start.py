"""Weights that start at zero grow by any factor while the loss falls; another loss starts at nothing."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
nn.init.zeros_(model.weight)
nn.init.zeros_(model.bias)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(64, 4)
y = x @ torch.tensor([[30.0], [-20.0], [10.0], [5.0]])
for step in range(40):
    error = (model(x) - y).pow(2).mean()
    penalty = 1e-3 * model.weight.abs().sum()
    loss = error + penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
