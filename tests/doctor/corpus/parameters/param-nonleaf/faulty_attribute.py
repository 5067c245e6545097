"""A module scales its Parameter when it is made: what it keeps is no Parameter any more."""

import torch
from torch import nn


class Bilinear(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.matrix = nn.Parameter(torch.randn(size, size)) * 0.1  # finding: param-nonleaf
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        return x @ self.matrix + self.bias


torch.manual_seed(0)
model = Bilinear(4)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(5):
    x = torch.randn(6, 4)
    loss = (model(x) - x.flip(1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
