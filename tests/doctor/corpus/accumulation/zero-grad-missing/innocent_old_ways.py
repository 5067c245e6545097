"""Gradients are cleared in the ways of older programs."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
w = torch.ones(3, requires_grad=True)
for step in range(9):
    x = torch.randn(8, 3)
    if w.grad is not None:
        w.grad.data.zero_()
    for p in model.parameters():
        if p.grad is None:
            continue
        if step % 3 == 0:
            p.grad.detach_()
            p.grad.zero_()
        elif step % 3 == 1:
            p.grad.data.fill_(0)
        else:
            p.grad *= 0
    loss = (model(x) + x @ w[:, None]).pow(2).mean()
    loss.backward()
    optimizer.step()
    w.data -= 0.1 * w.grad.data
