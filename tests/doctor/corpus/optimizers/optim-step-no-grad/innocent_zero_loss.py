"""A hinge that is satisfied has gradients of zero for a while."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(6, 2)
    margin = 100.0 if step > 4 else -100.0
    loss = torch.relu(margin - model(x)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
