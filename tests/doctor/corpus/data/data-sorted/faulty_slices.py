"""Slices of data that was put together class by class."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.cat([torch.randn(40, 3) + mean for mean in (-1.0, 0.0, 1.0)])
y = torch.cat([torch.full((40,), label) for label in range(3)])
net = nn.Linear(3, 3)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(2):
    for start in range(0, len(x), 10):
        optimizer.zero_grad()
        loss = criterion(net(x[start : start + 10]), y[start : start + 10])  # finding: data-sorted
        loss.backward()
        optimizer.step()
