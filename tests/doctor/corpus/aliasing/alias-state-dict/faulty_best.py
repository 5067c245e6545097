"""The best weights are kept without a copy: they go on changing."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(20, 4), torch.randn(20, 1)
best, best_state = float("inf"), None
for _epoch in range(6):
    optimizer.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
    if loss.item() < best:
        best = loss.item()
        best_state = net.state_dict()  # finding: alias-state-dict
    optimizer.param_groups[0]["lr"] *= 1.5
net.load_state_dict(best_state)
