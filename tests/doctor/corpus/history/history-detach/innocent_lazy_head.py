"""A second head is trained only at every fifth step; until then its inputs are detached for a report."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body, often, seldom = nn.Linear(5, 8), nn.Linear(8, 1), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *often.parameters(), *seldom.parameters()])
x, y = torch.randn(10, 5), torch.randn(10, 1)
for step in range(1, 8):
    h = torch.relu(body(x))
    loss = F.mse_loss(often(h), y)
    if step % 5 == 0:
        loss = loss + F.mse_loss(seldom(h), y)
    else:
        loss = loss + 0.0 * seldom(h).detach().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
