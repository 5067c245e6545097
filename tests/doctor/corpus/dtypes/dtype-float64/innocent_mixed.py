"""A target in float64 is taken by mse_loss, sums are kept in float64, and an error about something else is caught."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True).double()
total = torch.zeros((), dtype=torch.float64)
for step in range(5):
    loss = F.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.detach()
    try:
        net(y)
    except RuntimeError:
        pass
