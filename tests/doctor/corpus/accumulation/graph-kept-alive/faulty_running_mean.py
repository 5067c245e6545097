"""A smoothed loss that is never detached."""

import torch
from torch import nn


class Meter:
    def __init__(self):
        self.value = None

    def update(self, value):
        if self.value is None:
            self.value = value
        self.value = 0.9 * self.value + 0.1 * value  # finding: graph-kept-alive


torch.manual_seed(0)
model, meter = nn.Linear(3, 1), Meter()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _step in range(16):
    x = torch.randn(16, 3)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meter.update(loss)
