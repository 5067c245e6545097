"""The same functions with a constant inside, safe values before `where`, and clipping."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 4)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.zeros(8, 6)
for step in range(5):
    hidden = net(x)
    scale = torch.sqrt((hidden**2).sum(1) + 1e-8)
    positive = hidden > 0
    logs = torch.where(positive, torch.log(torch.where(positive, hidden, torch.ones_like(hidden))), hidden)
    loss = (scale - 2).pow(2).mean() + logs.pow(2).mean() + nn.functional.normalize(hidden, dim=1).sum()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
