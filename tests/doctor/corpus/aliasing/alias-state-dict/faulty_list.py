"""The starting weights are kept as `.data`, and copied back for a second run."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
start = [p.data for p in net.parameters()]  # finding: alias-state-dict
x, y = torch.randn(10, 3), torch.randn(10, 1)
for _run in range(2):
    for p, first in zip(net.parameters(), start):
        p.data.copy_(first)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _step in range(4):
        optimizer.zero_grad()
        (net(x) - y).pow(2).mean().backward()
        optimizer.step()
