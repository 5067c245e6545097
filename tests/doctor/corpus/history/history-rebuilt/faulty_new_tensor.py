"""Attention weights are copied with new_tensor in a forward: the scorer does not learn."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.score = nn.Linear(size, 1)
        self.out = nn.Linear(size, 2)

    def forward(self, sequence):
        scores = [self.score(each).squeeze(-1) for each in sequence.unbind(1)]
        rows = [[float(score) for score in row] for row in zip(*scores)]  # finding: history-item
        weights = torch.stack([sequence.new_tensor(row) for row in rows])
        pooled = (torch.softmax(weights, dim=1).unsqueeze(-1) * sequence).sum(1)
        return self.out(pooled)


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.gates = nn.Linear(4, 1)
        self.body = nn.Linear(4, 4)

    def forward(self, x):
        gate = torch.as_tensor([self.gates(row).sigmoid()[0] for row in x])  # finding: history-rebuilt
        return self.body(x) * gate.unsqueeze(1)


torch.manual_seed(0)
attention, mixer = Attention(4), Mixer()
optimizer = torch.optim.Adam([*attention.parameters(), *mixer.parameters()])
x, y = torch.randn(6, 5, 4), torch.randint(2, (6,))
for step in range(4):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(attention(x), y) + mixer(x[:, 0]).pow(2).mean()
    loss.backward()
    optimizer.step()
