"""One output and cross_entropy."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(32, 4)
y = torch.zeros(32, dtype=torch.long)
for step in range(5):
    loss = F.cross_entropy(net(x), y)  # finding: loss-single-class
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
