"""batch_first=True with the batch first, and a transpose before a layer without it."""

import torch
from torch import nn

torch.manual_seed(0)
one, two, head = nn.LSTM(4, 8, batch_first=True), nn.GRU(4, 8), nn.Linear(8, 3)
optimizer = torch.optim.Adam([*one.parameters(), *two.parameters(), *head.parameters()], lr=1e-2)
x, y = torch.randn(10, 7, 4), torch.randint(3, (10,))
for step in range(4):
    first, _ = one(x)
    second, _ = two(x.transpose(0, 1))
    loss = nn.functional.cross_entropy(head(first[:, -1] + second[-1]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
