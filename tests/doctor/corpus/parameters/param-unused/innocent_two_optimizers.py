"""Alternating training: each optimizer moves its own part, the step of one often without a gradient of the other."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
feature, task, domain = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(8, 2)
main = torch.optim.Adam([*feature.parameters(), *task.parameters()])
other = torch.optim.Adam(domain.parameters())
for step in range(6):
    x, y, d = torch.randn(8, 6), torch.randint(2, (8,)), torch.randint(2, (8,))
    main.zero_grad()
    F.cross_entropy(task(torch.relu(feature(x))), y).backward()
    main.step()
    if step >= 4:
        other.zero_grad()
        F.cross_entropy(domain(torch.relu(feature(x)).detach()), d).backward()
    other.step()
