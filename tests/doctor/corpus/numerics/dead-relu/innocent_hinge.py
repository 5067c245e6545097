"""A hinge that is satisfied everywhere is zero, which is its aim; a penalty on weights as well."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(4, 8)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
anchor = torch.randn(32, 4)
positive, negative = anchor + 0.01 * torch.randn(32, 4), torch.randn(32, 4) + 100
for step in range(8):
    a, p, n = encoder(anchor), encoder(positive), encoder(negative)
    triplet = F.relu((a - p).pow(2).sum(1) - (a - n).pow(2).sum(1) + 1.0)
    bound = F.relu(encoder.weight.abs() - 10)
    loss = triplet.mean() + bound.sum() + a.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
