"""The optimizer only clears gradients; the update is written by hand."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for _step in range(6):
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    for group in optimizer.param_groups:
        for p in group["params"]:
            p.data.add_(p.grad.sign(), alpha=-0.01)
