"""The module clears its gradients at the end of the function that fills them."""

import torch
from torch import nn


def compute_loss(model, x, y):
    loss = nn.functional.l1_loss(model(x), y)
    loss.backward()
    model.zero_grad()  # finding: optim-step-no-grad
    return loss


torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.RMSprop(model.parameters())
for _step in range(5):
    compute_loss(model, torch.randn(6, 2), torch.randn(6, 1))
    optimizer.step()
