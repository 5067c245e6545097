"""A program that handles its own errors."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
try:
    net(torch.randn(3, 5))
except RuntimeError:
    pass
x = torch.randn(3, 4)
h = torch.sigmoid(net(x))
h.mul_(2)
try:
    h.sum().backward()
except RuntimeError:
    torch.sigmoid(net(x)).mul(2).sum().backward()
