"""Targets between 0 and 1 become integers."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(40, 3)
y = x.mean(1, keepdim=True).long()  # finding: dtype-truncated
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(5):
    loss = nn.functional.mse_loss(net(x), y.float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
