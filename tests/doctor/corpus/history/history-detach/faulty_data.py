"""`.data` in a module's forward cuts the first layer off."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 1)

    def forward(self, x):
        hidden = torch.relu(self.first(x)).data  # finding: history-detach
        return self.second(hidden)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(16, 4)
y = x.sum(1, keepdim=True)
for _step in range(6):
    optimizer.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
