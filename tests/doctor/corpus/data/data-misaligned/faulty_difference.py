"""Inputs and values are shuffled before each epoch, each in its own order, and the loss is written out."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(400, 5)
values = inputs @ torch.randn(5, 1)
net = nn.Linear(5, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(10):
    inputs = inputs[torch.randperm(400)]
    values = values[torch.randperm(400)]  # finding: data-misaligned
    for start in range(0, 400, 100):
        loss = (net(inputs[start : start + 100]) - values[start : start + 100]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
