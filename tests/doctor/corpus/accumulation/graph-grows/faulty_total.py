"""The running total of the losses is what backward starts from."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = 0
for _step in range(5):
    x = torch.randn(8, 4)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    total = total + loss  # finding: graph-grows
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
