"""The loss is computed once, before the loop."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 3), torch.randn(10, 1)
prediction = model(x)
loss = nn.functional.mse_loss(prediction, y)
for _step in range(5):
    optimizer.zero_grad()
    loss.backward()  # finding: graph-backward-twice
    optimizer.step()
