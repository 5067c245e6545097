"""A head that starts at zero passes no gradient in the first step, and does so later."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU())
head = nn.Linear(16, 3)
nn.init.zeros_(head.weight)
nn.init.zeros_(head.bias)
optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(32, 8), torch.randint(3, (32,))
for step in range(6):
    loss = nn.functional.cross_entropy(head(net(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
