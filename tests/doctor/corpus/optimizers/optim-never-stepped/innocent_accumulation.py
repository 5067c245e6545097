"""Four backwards for each step: the gradients of small batches add up on purpose."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
every = 4
optimizer.zero_grad()
for number in range(12):
    x = torch.randn(8, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean() / every
    loss.backward()
    if (number + 1) % every == 0:
        optimizer.step()
        optimizer.zero_grad()
