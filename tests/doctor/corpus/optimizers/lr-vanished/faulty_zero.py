"""A rate computed from whole numbers is 0."""

import torch
from torch import nn

batch, base = 16, 256
torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=batch // base, momentum=0.9)  # finding: lr-vanished
x, y = torch.randn(batch, 3), torch.randn(batch, 1)
for _step in range(8):
    optimizer.zero_grad()
    (model(x) - y).pow(2).mean().backward()
    optimizer.step()
