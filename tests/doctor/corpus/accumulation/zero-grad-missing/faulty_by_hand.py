"""Gradient descent by hand, where the gradients are never cleared."""

import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 30)
y = 3 * x + 1
w = torch.randn(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for _step in range(8):
    loss = (w * x + b - y).pow(2).mean()
    loss.backward()  # finding: zero-grad-missing
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
