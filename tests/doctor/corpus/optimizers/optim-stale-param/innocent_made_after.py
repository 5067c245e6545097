"""The head is replaced first, then the optimizer is made."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 10))
model[2] = nn.Linear(16, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(24, 8), torch.randint(3, (24,))
for _epoch in range(6):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
