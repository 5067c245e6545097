"""The network is made a second time, with the optimizer of the first."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.a = nn.Linear(3, hidden)
        self.b = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


def train(net, optimizer):
    x = torch.randn(20, 3)
    y = x[:, :1]
    for _step in range(6):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()


torch.manual_seed(0)
net = Net(8)
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-2)
net = Net(8)  # finding: optim-stale-param
train(net, optimizer)
