"""ModuleList, and a plain list beside it that only names the same layers."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.order = [self.layers[2], self.layers[0], self.layers[1]]
        self.by_name = {"first": self.layers[0]}

    def forward(self, x):
        for layer in self.order:
            x = torch.tanh(layer(x))
        return x


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(5):
    x = torch.randn(6, 4)
    loss = (net(x) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
