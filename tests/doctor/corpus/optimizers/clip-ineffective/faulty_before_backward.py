"""The clip comes before there is a gradient."""

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


def update(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    clip_grad_norm_(model.parameters(), max_norm=0.5)  # finding: clip-ineffective
    loss.backward()
    optimizer.step()


torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _step in range(6):
    update(model, optimizer, torch.randn(8, 4), torch.randn(8, 2))
