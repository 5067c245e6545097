"""Every weight starts at 0.5."""

import torch
from torch import nn


def init_weights(module):
    if isinstance(module, nn.Linear):
        nn.init.constant_(module.weight, 0.05)  # finding: symmetric-init
        nn.init.zeros_(module.bias)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
net.apply(init_weights)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.randn(32, 4)
y = x.pow(2).sum(1, keepdim=True)
for step in range(6):
    loss = (net(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
