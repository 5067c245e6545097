"""A weight of zero switches the only loss off."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
weight = 0.0
for _step in range(6):
    x = torch.randn(16, 4)
    loss = nn.functional.cross_entropy(model(x), torch.randint(2, (16,)))
    total = weight * loss  # finding: nothing-learned
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
