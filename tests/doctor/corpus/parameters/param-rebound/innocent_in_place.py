"""The same descent with each of the right updates."""

import torch

torch.manual_seed(0)
xs = torch.linspace(0, 1, 20)
ys = 2 * xs + 0.5
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
c = torch.zeros(1, requires_grad=True)
for step in range(5):
    loss = ((w * xs + b + c - ys) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    b.data = b - 0.1 * b.grad
    c = (c - 0.1 * c.grad).detach().requires_grad_()
    w.grad.zero_()
    b.grad[:] = 0
