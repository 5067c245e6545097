"""Many small batches for a step, each with its own backward."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _step in range(3):
    optimizer.zero_grad()
    for _part in range(12):
        x = torch.randn(4, 3)
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean() / 12
        loss.backward()
    optimizer.step()
