"""The square root of a variance that is zero for a constant feature."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 4)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.zeros(8, 6)
target = torch.ones(8, 4)
with torch.no_grad():
    net.bias.zero_()
for step in range(5):
    hidden = net(x)
    scale = torch.sqrt((hidden**2).sum(1))  # finding: nan-backward
    loss = (scale - target.sum(1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
