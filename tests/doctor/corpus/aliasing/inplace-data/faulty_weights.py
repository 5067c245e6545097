"""Weights are clamped through `.data` between a forward and its backward."""

import torch
from torch import nn


def project(model):
    for p in model.parameters():
        p.data.clamp_(-0.2, 0.2)  # finding: inplace-data


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _step in range(4):
    x = torch.randn(16, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    project(model)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
