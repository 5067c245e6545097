"""`optimizer.step` without parentheses does nothing."""

import torch
from torch import nn


def train(model, x, y, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step  # finding: optim-never-stepped
    return loss.item()


torch.manual_seed(0)
print(train(nn.Linear(3, 1), torch.randn(10, 3), torch.randn(10, 1), 6))
