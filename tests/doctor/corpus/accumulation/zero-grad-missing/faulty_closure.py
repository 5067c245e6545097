"""The closure of LBFGS forgets to clear."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3)
x, y = torch.randn(20, 2), torch.randn(20, 1)


def closure():
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()  # finding: zero-grad-missing
    return loss


for _step in range(6):
    optimizer.step(closure)
