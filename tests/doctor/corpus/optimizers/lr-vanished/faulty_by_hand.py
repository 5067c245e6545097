"""The rate is multiplied down in every step instead of every epoch."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _epoch in range(5):
    for _batch in range(10):
        x = torch.randn(8, 3)
        optimizer.zero_grad()
        (model(x) - x.sum(1, keepdim=True)).pow(2).mean().backward()
        optimizer.step()
        for group in optimizer.param_groups:
            group["lr"] *= 0.5  # finding: lr-vanished
