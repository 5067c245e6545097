"""Weights a hundred times too small, ten layers deep."""

import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(6, 32)  # finding: vanishing-gradient
        self.layers = nn.ModuleList([nn.Linear(32, 32) for _ in range(8)])
        self.leave = nn.Linear(32, 2)
        for each in self.layers:
            nn.init.normal_(each.weight, std=0.01)

    def forward(self, x):
        x = torch.tanh(self.enter(x))
        for each in self.layers:
            x = torch.tanh(each(x))
        return self.leave(x)


torch.manual_seed(0)
net = Deep()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-5)
x, y = torch.randn(32, 6), torch.randint(2, (32,))
for step in range(6):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
