"""Probabilities over the batch in place of the classes."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 3)

    def forward(self, x):
        return torch.softmax(self.fc(x), dim=0)  # finding: softmax-wrong-dim


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(40, 6), torch.randint(3, (40,))
for step in range(4):
    probabilities = net(x)
    loss = -torch.log(probabilities[torch.arange(40), y]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
