"""One parameter has a step of its own, written by hand, beside the optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
scale = nn.Parameter(torch.ones(()))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for _step in range(6):
    loss = (scale * model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    scale.grad = None
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        scale -= 0.01 * scale.grad
