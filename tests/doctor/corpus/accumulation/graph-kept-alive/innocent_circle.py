"""A hook that holds its own tensor makes a circle, which the garbage collector breaks."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
norms = []
for _step in range(14):
    x = torch.randn(16, 3)
    out = model(x)
    out.register_hook(lambda grad, out=out: norms.append((grad.norm() / out.detach().norm()).item()))
    loss = (out - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
