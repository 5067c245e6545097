"""Gates of a cell written by hand may be fully open, and a classifier may be sure of itself."""

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gate = nn.Linear(2 * size, size)
        self.update = nn.Linear(2 * size, size)
        nn.init.constant_(self.gate.bias, 12.0)

    def forward(self, x, h):
        both = torch.cat([x, h], 1)
        keep = torch.sigmoid(self.gate(both))
        return keep * h + (1 - keep) * torch.tanh(self.update(both))


torch.manual_seed(0)
cell, head = Cell(6), nn.Linear(6, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-4)
for step in range(10):
    h = torch.zeros(16, 6)
    for _ in range(4):
        h = cell(torch.randn(16, 6), h)
    sure = torch.sigmoid(head(h) + 6)
    loss = nn.functional.binary_cross_entropy(sure, torch.ones(16, 1)) + torch.rand(())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
