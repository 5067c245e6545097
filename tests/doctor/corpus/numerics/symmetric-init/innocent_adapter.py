"""An adapter of rank two starts at nothing, a fixed average is frozen, and one unit has no others."""

import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)
        self.layer.requires_grad_(False)
        self.down = nn.Linear(6, 2, bias=False)
        self.up = nn.Linear(2, 6, bias=False)
        nn.init.zeros_(self.up.weight)
        self.average = nn.Linear(6, 6, bias=False)
        nn.init.constant_(self.average.weight, 1 / 6)
        self.average.weight.requires_grad_(False)
        self.out = nn.Linear(6, 1)
        nn.init.constant_(self.out.weight, 0.1)

    def forward(self, x):
        x = self.layer(x) + self.up(self.down(x))
        return self.out(torch.tanh(x - self.average(x)))


torch.manual_seed(0)
net = Adapted()
optimizer = torch.optim.SGD([each for each in net.parameters() if each.requires_grad], lr=0.1)
x, y = torch.randn(32, 6), torch.randn(32, 1)
for step in range(6):
    loss = (net(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
