"""`.data` silences the error of an in-place write: the gradient of tanh is wrong."""

import torch
from torch import nn

torch.manual_seed(0)
model, head = nn.Linear(4, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.05)
for _step in range(4):
    x = torch.randn(16, 4)
    h = torch.tanh(model(x))
    y = head(h)
    h.data.mul_(0.5)  # finding: inplace-data
    loss = (y - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
