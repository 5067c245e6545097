"""The binary loss refuses what others take."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(20, 6)
y = (x[:, 0] > 0).float()
for step in range(3):
    loss = nn.functional.binary_cross_entropy_with_logits(net(x), y)  # finding: broadcast-outer
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
