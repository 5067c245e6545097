"""Meta-learning: plain SGD, which remembers nothing, is made for each inner step."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
meta = nn.Linear(2, 1)
outer = torch.optim.Adam(meta.parameters(), lr=1e-2)
for _round in range(5):
    fast = copy.deepcopy(meta)
    for _inner in range(2):
        inner = torch.optim.SGD(fast.parameters(), lr=0.1)
        x = torch.randn(8, 2)
        inner.zero_grad()
        (fast(x) - x.sum(1, keepdim=True)).pow(2).mean().backward()
        inner.step()
    outer.zero_grad()
    for slow, quick in zip(meta.parameters(), fast.parameters()):
        slow.grad = slow.detach() - quick.detach()
    outer.step()
