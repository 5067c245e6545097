"""Two optimizers over one network use the same gradients, one after the other."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
fast = torch.optim.SGD(model.parameters(), lr=0.01)
slow = torch.optim.Adam(model.parameters(), lr=1e-4)
for _step in range(8):
    x = torch.randn(8, 4)
    fast.zero_grad()
    model(x).pow(2).mean().backward()
    fast.step()
    slow.step()
