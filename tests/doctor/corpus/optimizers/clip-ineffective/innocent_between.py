"""Clipped where it should be, in each of several small batches too."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    nn.functional.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 2)).backward()
    torch.nn.utils.clip_grad_value_(model.parameters(), 0.1)
    for p in model.parameters():
        p.grad.clamp_(-0.05, 0.05)
    if step % 2:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
