"""Gradients of intermediate values are asked for with retain_grad, and read in a hook; the leaf has a name."""

import torch

torch.manual_seed(0)
raw = torch.randn(3, requires_grad=True)
x, y = torch.randn(10, 3), torch.randn(10)
optimizer = torch.optim.SGD([raw], lr=0.1)
for step in range(4):
    w = raw * 0.5
    w.retain_grad()
    prediction = x @ w
    seen = []
    prediction.register_hook(seen.append)
    loss = (prediction - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(w.grad.norm().item(), seen[0].norm().item())
