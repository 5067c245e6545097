"""Nobody clears the gradients."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)
for _epoch in range(8):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()  # finding: zero-grad-missing
    optimizer.step()
