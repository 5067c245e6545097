"""Penalties are summed as floats before they join the loss."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
scale = nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([*net.parameters(), scale], lr=0.05)
for step in range(6):
    x = torch.randn(8, 4)
    fit = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    penalty = 0.0
    for each in scale:
        penalty += float(each.abs())  # finding: history-item
    loss = fit + 0.01 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
