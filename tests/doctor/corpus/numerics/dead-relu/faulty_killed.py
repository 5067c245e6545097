"""One huge step kills the second ReLU; from then on the loss stands still."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(4, 16),
    nn.ReLU(),
    nn.Linear(16, 16),
    nn.ReLU(),  # finding: dead-relu
    nn.Linear(16, 1),
)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.rand(32, 4)
y = -torch.ones(32, 1)
for step in range(10):
    if step == 2:
        with torch.no_grad():
            net[2].bias -= 100
    loss = (net(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
