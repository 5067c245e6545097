"""Attention over a set: the elements of the set are what the softmax weighs."""

import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.score, self.out = nn.Linear(6, 2), nn.Linear(12, 1)

    def forward(self, elements):
        weights = torch.softmax(self.score(elements), dim=0)
        pooled = torch.cat([(weights[:, :1] * elements).sum(0), weights[:, 1] @ elements])
        return self.out(pooled)


torch.manual_seed(0)
net = Pool()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    elements = torch.randn(9, 6)
    loss = (net(elements) - elements.mean()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
