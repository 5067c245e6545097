"""A layer whose size is known at the first call is made once, and added to the optimizer; lazy layers do the same."""

import torch
from torch import nn


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.LazyLinear(4)
        self.last = None

    def forward(self, x):
        h = torch.relu(self.first(x))
        if self.last is None:
            self.last = nn.Linear(h.shape[1], 1)
        return self.last(h)


torch.manual_seed(0)
net = Lazy()
x, y = torch.randn(8, 3), torch.randn(8, 1)
net(x)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(5):
    optimizer.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    optimizer.step()
