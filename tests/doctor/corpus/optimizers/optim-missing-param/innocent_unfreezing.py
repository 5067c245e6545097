"""The head learns alone for a while; then the body joins as a second group of the optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(4, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
x = torch.randn(16, 4)
y = x.sum(1, keepdim=True)
for step in range(10):
    if step == 5:
        optimizer.add_param_group({"params": body.parameters(), "lr": 1e-3})
    loss = (head(torch.relu(body(x))) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
