"""Weights of the first layer from a normal distribution of width ten."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(10, 40)
        self.out = nn.Linear(40, 1)
        nn.init.normal_(self.hidden.weight, std=50.0)

    def forward(self, x):
        features = torch.sigmoid(self.hidden(x))  # finding: saturated-activation
        return self.out(features)


torch.manual_seed(1)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
x = torch.randn(40, 10)
y = torch.randn(40, 1)
for step in range(12):
    loss = (net(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
