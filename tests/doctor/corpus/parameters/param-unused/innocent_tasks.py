"""Heads and experts that are used in turns, some of them late or never."""

import torch
import torch.nn.functional as F
from torch import nn


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(5, 8)
        self.experts = nn.ModuleList([nn.Linear(8, 1) for _ in range(4)])
        self.late = nn.Linear(8, 1)

    def forward(self, x, which):
        return self.experts[which](torch.relu(self.body(x)))


torch.manual_seed(0)
model = Experts()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(4, 5)
    loss = F.mse_loss(model(x, [0, 0, 2, 0, 0, 2, 0, 0][step]), x[:, :1])
    if step == 7:
        loss = loss + model.late(torch.relu(model.body(x))).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
