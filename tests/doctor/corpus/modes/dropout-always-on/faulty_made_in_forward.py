"""A dropout layer that is made in forward() does not hear of eval()."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        return x + nn.Dropout(0.1)(torch.relu(self.linear(x)))  # finding: dropout-always-on


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(8) for _ in range(3)])
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.out(x)


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.MSELoss()
inputs, targets = torch.randn(16, 8), torch.randn(16, 1)
for epoch in range(4):
    model.train()
    loss = criterion(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        print(criterion(model(inputs), targets).item())
