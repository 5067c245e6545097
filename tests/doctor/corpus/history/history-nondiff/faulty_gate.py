"""A gate chooses its expert with argmax and one_hot."""

import torch
import torch.nn.functional as F
from torch import nn


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 3)
        self.experts = nn.ModuleList([nn.Linear(4, 2) for _ in range(3)])

    def forward(self, x):
        choice = self.gate(x).argmax(dim=-1)  # finding: history-nondiff
        weights = F.one_hot(choice, 3).float()
        outputs = torch.stack([expert(x) for expert in self.experts], dim=1)
        return (weights.unsqueeze(-1) * outputs).sum(1)


torch.manual_seed(0)
model = Mixture()
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(10, 4), torch.randn(10, 2)
for step in range(5):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
