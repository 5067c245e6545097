"""Freezing with a word that tensors do not know."""

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Linear(4, 8)
head = nn.Linear(8, 2)
for parameter in backbone.parameters():
    parameter.require_grad = False  # finding: param-attr-typo
optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.1)
for _ in range(4):
    x, y = torch.randn(8, 4), torch.randint(2, (8,))
    loss = nn.functional.cross_entropy(head(torch.relu(backbone(x))), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
