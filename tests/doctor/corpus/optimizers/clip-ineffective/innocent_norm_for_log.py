"""After the step the norm is only asked for: no limit is infinite."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
norms = []
for _step in range(6):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 2)).backward()
    optimizer.step()
    norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), float("inf")).item())
