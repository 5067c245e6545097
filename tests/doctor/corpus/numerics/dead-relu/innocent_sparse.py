"""Most units are zero, some batches are all zero for one layer, and a frozen branch is not asked."""

import torch
from torch import nn

torch.manual_seed(0)
shared = nn.Linear(4, 16)
branch = nn.Linear(4, 16)
head = nn.Linear(16, 1)
with torch.no_grad():
    branch.bias -= 100
    shared.bias -= 1
for each in branch.parameters():
    each.requires_grad_(False)
optimizer = torch.optim.Adam([*shared.parameters(), *head.parameters()], lr=1e-2)
for step in range(9):
    x = torch.randn(16, 4) if step % 3 else torch.zeros(16, 4)
    hidden = torch.relu(shared(x)) + torch.relu(branch(x))
    loss = (head(hidden) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
