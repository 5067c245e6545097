"""Features and labels are shuffled apart."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.randn(60, 5)
y = (x.sum(1) > 0).long()
x = x[torch.randperm(len(x))]
y = y[torch.randperm(len(y))]  # finding: data-misaligned

net = nn.Linear(5, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    for i in range(0, 60, 20):
        loss = F.cross_entropy(net(x[i : i + 20]), y[i : i + 20])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
