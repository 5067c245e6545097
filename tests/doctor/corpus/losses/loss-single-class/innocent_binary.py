"""One output with the binary loss, two with cross_entropy."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
one, two = nn.Linear(4, 1), nn.Linear(4, 2)
optimizer = torch.optim.SGD([*one.parameters(), *two.parameters()], lr=0.1)
x = torch.randn(32, 4)
y = (x[:, 0] > 0).long()
for step in range(5):
    loss = F.binary_cross_entropy_with_logits(one(x), y[:, None].float()) + F.cross_entropy(two(x), y)
    loss = loss + F.binary_cross_entropy(torch.sigmoid(one(x)), y[:, None].float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
