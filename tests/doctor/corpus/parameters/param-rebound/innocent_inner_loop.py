"""Meta-learning: the inner update makes new weights on purpose, and the outer one goes through it."""

import torch
from torch import nn

torch.manual_seed(0)
start = nn.Parameter(torch.randn(3))
optimizer = torch.optim.SGD([start], lr=0.1)
for task in range(5):
    x = torch.randn(8, 3)
    y = x @ torch.randn(3)
    fast = start
    for _ in range(2):
        (gradient,) = torch.autograd.grad((x @ fast - y).pow(2).mean(), fast, create_graph=True)
        fast = fast - 0.1 * gradient
    loss = (x @ fast - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
