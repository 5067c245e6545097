"""Inputs that saturate the first layer, and a network that learns all the same."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(64, 5) * 100
y = x.sign().mean(1, keepdim=True)
for step in range(20):
    loss = (net(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
