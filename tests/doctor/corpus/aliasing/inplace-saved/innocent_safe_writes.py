"""Writes in place where nothing needs the old value."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _step in range(4):
    x = torch.randn(8, 4)
    out = net(x)
    out += 1.0
    out[:, 0] = 0.0
    loss = (out - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
