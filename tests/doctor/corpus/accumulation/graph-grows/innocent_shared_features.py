"""Features are computed once with their graph, which each backward keeps for the next one."""

import torch
from torch import nn

torch.manual_seed(0)
scale = torch.ones(3, requires_grad=True)
features = torch.randn(16, 3) * scale.exp()
head = nn.Linear(3, 1)
optimizer = torch.optim.SGD(head.parameters(), lr=0.05)
for _step in range(8):
    loss = (head(features) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
