"""Gradient descent by hand that binds the name to a new tensor."""

import torch

torch.manual_seed(0)
xs = torch.linspace(0, 1, 20)
ys = 2 * xs + 0.5
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(5):
    loss = ((w * xs + b - ys) ** 2).mean()
    loss.backward()
    w = w - 0.1 * w.grad  # finding: param-rebound
    b = b - 0.1 * b.grad  # finding: param-rebound
