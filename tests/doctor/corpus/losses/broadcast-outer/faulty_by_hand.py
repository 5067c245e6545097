"""Predictions are a column, targets a row."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(64, 3)
y = x.sum(1)
for epoch in range(6):
    prediction = net(x)
    loss = ((prediction - y) ** 2).mean()  # finding: broadcast-outer
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
