"""Every output is clamped to one bound, so that no gradient gets through."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 4)
y = torch.full((16, 1), 7.0)
for _step in range(6):
    prediction = model(x).clamp(5.0, 6.0)  # finding: nothing-learned
    loss = (prediction - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
