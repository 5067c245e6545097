"""`model.parameters()` was kept, and the optimizer has used it up."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
params = model.parameters()
optimizer = torch.optim.SGD(params, lr=0.1)
for _step in range(5):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 2)).backward()
    nn.utils.clip_grad_norm_(params, 1.0)  # finding: clip-ineffective
    optimizer.step()
