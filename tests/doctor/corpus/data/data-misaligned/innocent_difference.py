"""One order for both, and negative examples in an order of their own."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(400, 5)
values = inputs @ torch.randn(5, 1)
net = nn.Linear(5, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(10):
    order = torch.randperm(400)
    inputs, values = inputs[order], values[order]
    for start in range(0, 400, 100):
        batch = inputs[start : start + 100]
        others = batch[torch.randperm(100)]
        apart = (net(batch) - net(others)).abs().mean()
        loss = (net(batch) - values[start : start + 100]).pow(2).mean() - 1e-3 * apart
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
