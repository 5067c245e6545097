"""One graph serves twice on purpose: the first backward keeps it."""

import torch
from torch import nn

torch.manual_seed(0)
body, a, b = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*body.parameters(), *a.parameters(), *b.parameters()], lr=0.05)
for _step in range(6):
    x = torch.randn(8, 4)
    hidden = torch.tanh(body(x))
    first = (a(hidden) - 1).pow(2).mean()
    second = (b(hidden) + 1).pow(2).mean()
    optimizer.zero_grad()
    first.backward(retain_graph=True)
    second.backward()
    optimizer.step()
