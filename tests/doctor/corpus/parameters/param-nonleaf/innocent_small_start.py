"""The small start value made a leaf in each of the right ways."""

import torch
from torch import nn

torch.manual_seed(0)
first = (torch.randn(3, 3) * 0.01).requires_grad_()
second = nn.Parameter(torch.randn(3, 3) * 0.01)
third = torch.randn(3, 3, requires_grad=True)
with torch.no_grad():
    third *= 0.01
optimizer = torch.optim.SGD([first, second, third], lr=0.1)
for _ in range(4):
    x = torch.randn(5, 3)
    loss = (x @ first @ second @ third - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(first.grad.norm().item(), third.grad.norm().item())
