"""A bias of -50 keeps every unit at zero."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 32)
        self.second = nn.Linear(32, 3)
        nn.init.constant_(self.first.bias, -50.0)

    def forward(self, x):
        hidden = torch.relu(self.first(x))  # finding: dead-relu
        return self.second(hidden)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.randn(32, 6), torch.randint(3, (32,))
for step in range(6):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
