"""Totals, lists and means of numbers and of detached tensors."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
total, history, smooth = 0.0, [], torch.zeros(())
for _step in range(14):
    x = torch.randn(16, 3)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
    history.append(loss.detach())
    smooth = 0.9 * smooth + 0.1 * loss.detach()
