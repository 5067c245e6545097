"""A small start value: the leaf is what stands before `* 0.01`."""

import torch

torch.manual_seed(0)
x = torch.randn(20, 3)
y = x @ torch.tensor([1.0, -2.0, 0.5])
w = torch.randn(3, requires_grad=True) * 0.01  # finding: param-nonleaf
for step in range(5):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
