"""The second layer is called and its result forgotten."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 8)
        self.fc3 = nn.Linear(8, 2)

    def forward(self, x):
        h1 = F.relu(self.fc1(x))
        h2 = F.relu(self.fc2(h1))  # finding: param-unused
        return self.fc3(h1)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
x, y = torch.randn(12, 4), torch.randint(2, (12,))
for _ in range(5):
    optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()
