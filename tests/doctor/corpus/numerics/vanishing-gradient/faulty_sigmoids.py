"""Twelve layers of sigmoid: nothing of the gradient arrives at the first one."""

import torch
from torch import nn

torch.manual_seed(0)
layers = [nn.Linear(8, 16), nn.Sigmoid()]  # finding: vanishing-gradient
for _ in range(11):
    layers += [nn.Linear(16, 16), nn.Sigmoid()]
net = nn.Sequential(*layers, nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(32, 8), torch.randn(32, 1)
for step in range(6):
    loss = (net(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
