"""Sharpness-aware: a first backward to climb, a second one for the step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for _step in range(6):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    climbs = []
    with torch.no_grad():
        for p in model.parameters():
            climb = 0.05 * p.grad / (p.grad.norm() + 1e-12)
            p.add_(climb)
            climbs.append(climb)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    with torch.no_grad():
        for p, climb in zip(model.parameters(), climbs):
            p.sub_(climb)
    optimizer.step()
