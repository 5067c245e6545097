"""Long after the start a batch without any match makes the mean one of nothing."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(90):
    x = torch.randn(16, 4)
    error = (net(x) - x.sum(1, keepdim=True)) ** 2
    scale = torch.tensor(float(step != 83))
    loss = (error / scale).mean()  # finding: nan-forward
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
