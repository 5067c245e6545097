"""Counts and dates are whole numbers before they are cast, and a length is cut to be a size."""

import torch
from torch import nn

torch.manual_seed(0)
counts = torch.poisson(torch.full((30, 1), 4.0)).long()
days = torch.arange(30.0).view(-1, 1).int()
ratio = torch.rand(())
size = int(ratio * 20) + 1
net = nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
for step in range(5):
    error = net(days / 30) - counts
    keep = (torch.rand(30, 1) * 2).long()
    loss = error[:size].pow(2).mean() + (error * 0.01).pow(2)[keep.bool()].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
