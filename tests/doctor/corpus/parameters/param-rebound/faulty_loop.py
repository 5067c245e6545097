"""A loop over parameters changes its own variable and nothing else."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for step in range(6):
    net.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    for p in net.parameters():
        p = p - 0.1 * p.grad  # finding: param-rebound
