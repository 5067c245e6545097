"""A gradient scaler makes the steps."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", enabled=False)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for _step in range(5):
    optimizer.zero_grad()
    scaler.scale((model(x) - y).pow(2).mean()).backward()
    scaler.step(optimizer)
    scaler.update()
