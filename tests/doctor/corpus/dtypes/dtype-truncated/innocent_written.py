"""Whole numbers are written to a tensor of integers, and a copy of integers is compared with floats."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
inputs = torch.rand(64, 3)
wanted = torch.zeros(64, dtype=torch.int64)
wanted[:] = (inputs.mean(1) > 0.5).float() * 3
kept = torch.empty(64, dtype=torch.int64)
kept.copy_(wanted)
for _ in range(10):
    loss = nn.functional.mse_loss(net(inputs).squeeze(1), kept.float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
