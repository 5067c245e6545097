"""An optimizer is given weights that were computed."""

import math

import torch


def make(rows, columns):
    return torch.randn(rows, columns, requires_grad=True) / math.sqrt(columns)  # finding: param-nonleaf


torch.manual_seed(0)
weights = make(4, 3)
bias = torch.zeros(4, requires_grad=True)
optimizer = torch.optim.SGD([weights, bias], lr=0.1)
for _ in range(3):
    x = torch.randn(5, 3)
    loss = (x @ weights.T + bias).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
