"""Two heads take turns in one attribute, and the optimizer has both."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(5, 6)
        self.head = None

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


torch.manual_seed(0)
net = Net()
heads = nn.ModuleList([nn.Linear(6, 2), nn.Linear(6, 2)])
optimizer = torch.optim.SGD([*net.body.parameters(), *heads.parameters()], lr=0.05)
x, y = torch.randn(12, 5), torch.randint(2, (12,))
for _step in range(6):
    optimizer.zero_grad()
    for head in heads:
        net.head = head
        nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
