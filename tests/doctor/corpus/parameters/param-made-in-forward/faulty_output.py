"""The output layer is created in forward."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 2, 3)

    def forward(self, x):
        h = torch.relu(self.conv(x)).flatten(1)
        out = nn.Linear(h.shape[1], 2)  # finding: param-made-in-forward
        return out(h)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
x, y = torch.randn(6, 1, 8), torch.randint(2, (6,))
for _ in range(5):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
