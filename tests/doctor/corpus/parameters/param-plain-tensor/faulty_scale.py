"""A learned scale is a tensor that requires grad, not a Parameter."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 1)
        self.scale = torch.ones(1, requires_grad=True)  # finding: param-plain-tensor

    def forward(self, x):
        return self.scale * self.linear(x)


torch.manual_seed(0)
model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    x = torch.randn(8, 3)
    loss = (model(x) - 10 * x.sum(1, keepdim=True)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
