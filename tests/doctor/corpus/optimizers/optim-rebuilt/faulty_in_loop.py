"""Adam is made inside the loop."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for _step in range(8):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  # finding: optim-rebuilt
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
