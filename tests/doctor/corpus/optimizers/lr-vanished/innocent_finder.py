"""A search for the learning rate: it grows from next to nothing over eight decades."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-8)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=2.5)
losses = []
for _step in range(18):
    x = torch.randn(8, 3)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    losses.append(loss.item())
