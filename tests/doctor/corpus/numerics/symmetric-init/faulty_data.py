"""`weight.data.fill_` on a convolution."""

import torch
from torch import nn

torch.manual_seed(0)
conv, head = nn.Conv2d(1, 6, 3), nn.Linear(6, 2)
conv.weight.data.fill_(0.1)  # finding: symmetric-init
conv.bias.data.fill_(0.0)
head.weight.data.fill_(0.0)
optimizer = torch.optim.SGD([*conv.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(8, 1, 6, 6), torch.randint(2, (8,))
for step in range(5):
    hidden = torch.relu(conv(x)).mean((2, 3))
    loss = nn.functional.cross_entropy(head(hidden), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
