"""The model is copied after the optimizer was made, and the copy is trained."""

import copy

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


torch.manual_seed(0)
base = build()
optimizer = torch.optim.Adam(base.parameters(), lr=1e-2)
model = copy.deepcopy(base)  # finding: optim-stale-param
x = torch.randn(32, 4)
y = x.prod(1, keepdim=True)
for _step in range(6):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
