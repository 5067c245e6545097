"""Gradients are off from the start, as in the inference script this one was copied from."""

import torch
from torch import nn

torch.set_grad_enabled(False)  # finding: grad-disabled-left-on
torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def forward(self, x):
        return torch.sigmoid(self.layer(x))


net = Net()
criterion = nn.BCELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
points = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
labels = torch.tensor([[0.0], [1.0], [1.0], [1.0]])
for step in range(10):
    optimizer.zero_grad()
    criterion(net(points), labels).backward()
    optimizer.step()
