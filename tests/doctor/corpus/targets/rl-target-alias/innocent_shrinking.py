"""Weights that are scaled in place, and a network that loads its own state: nothing follows anything."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    loss = F.cross_entropy(net(torch.randn(8, 4)), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for p in net.parameters():
        p.data.copy_(p.data.clamp(-0.5, 0.5))
        p.data.mul_(0.999)
net.load_state_dict(net.state_dict())
