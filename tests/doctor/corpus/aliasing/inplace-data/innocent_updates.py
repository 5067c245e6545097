"""Weights are initialised, clamped and averaged through `.data`, between the steps."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
for p in model.parameters():
    p.data.uniform_(-0.3, 0.3)
target = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _step in range(6):
    x = torch.randn(16, 4)
    with torch.no_grad():
        wanted = target(x) + x.sum(1, keepdim=True)
    loss = (model(x) - wanted).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for p, q in zip(model.parameters(), target.parameters()):
        p.data.clamp_(-1, 1)
        q.data.copy_(0.9 * q.data + 0.1 * p.data)
