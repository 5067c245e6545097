"""The first group rests at rate 0 while the second one learns."""

import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([{"params": body.parameters(), "lr": 0.0}, {"params": head.parameters()}], lr=0.1)
for step in range(10):
    if step == 6:
        optimizer.param_groups[0]["lr"] = 0.01
    x = torch.randn(8, 3)
    optimizer.zero_grad()
    (head(torch.relu(body(x))) - x.sum(1, keepdim=True)).pow(2).mean().backward()
    optimizer.step()
