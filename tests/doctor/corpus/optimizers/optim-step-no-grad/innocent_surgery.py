"""Gradients of two tasks are taken one by one, projected, and put back for the step."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 2)
for _step in range(6):
    grads = []
    for task in range(2):
        optimizer.zero_grad()
        (net(x)[:, task] - y[:, task]).pow(2).mean().backward()
        grads.append([p.grad.clone() for p in net.parameters()])
    optimizer.zero_grad()
    for p, a, b in zip(net.parameters(), *grads):
        dot = (a * b).sum()
        p.grad = a + b - (torch.minimum(dot, torch.zeros(())) / (a * a).sum().clamp(min=1e-8)) * a
    optimizer.step()
