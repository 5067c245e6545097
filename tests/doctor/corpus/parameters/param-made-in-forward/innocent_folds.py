"""A new model for each fold, each with its own optimizer; and a fast copy whose gradients are used by hand."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(12, 3), torch.randn(12, 1)
for fold in range(4):
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows = [i for i in range(12) if i % 4 != fold]
    for _ in range(2):
        fast = copy.deepcopy(model)
        nn.functional.mse_loss(fast(x[rows]), y[rows]).backward()
        optimizer.zero_grad()
        for slow, quick in zip(model.parameters(), fast.parameters()):
            slow.grad = quick.grad.clone()
        optimizer.step()
