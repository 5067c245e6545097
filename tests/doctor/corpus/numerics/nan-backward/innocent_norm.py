"""Distances of points that differ, a gradient penalty, and a hook that replaces what is not finite."""

import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
scale = torch.zeros(3, requires_grad=True)
scale.register_hook(lambda grad: torch.nan_to_num(grad, posinf=0.0))
optimizer = torch.optim.Adam([*critic.parameters(), scale], lr=1e-3)
for step in range(5):
    x = torch.randn(16, 4, requires_grad=True)
    value = critic(x)
    (slope,) = torch.autograd.grad(value.sum(), x, create_graph=True)
    penalty = ((slope.norm(dim=1) - 1) ** 2).mean()
    distance = torch.cdist(x, x + 1).mean()
    loss = penalty - value.mean() + distance + torch.sqrt(scale).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
