"""A learned threshold keeps or drops features through a comparison."""

import torch
from torch import nn


class Select(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.threshold = nn.Parameter(torch.zeros(size))
        self.linear = nn.Linear(size, 1)

    def forward(self, x):
        keep = (x > self.threshold).float()  # finding: history-nondiff
        return self.linear(x * keep)


torch.manual_seed(0)
model = Select(5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    x = torch.randn(16, 5)
    loss = (model(x).squeeze(1) - x.relu().sum(1)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
