"""One sequence of the batch is padding from end to end: its attention has nothing to choose from."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
        self.out = nn.Linear(size, 1)

    def forward(self, x, padding):
        scores = self.query(x) @ self.key(x).transpose(1, 2) / x.shape[-1] ** 0.5
        scores = scores.masked_fill(padding[:, None, :], float("-inf"))
        weights = torch.softmax(scores, dim=-1)  # finding: nan-forward
        return self.out((weights @ self.value(x)).mean(1))


torch.manual_seed(0)
net = Attention(8)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.randn(4, 6, 8), torch.randn(4, 1)
lengths = torch.tensor([6, 3, 0, 5])
padding = torch.arange(6)[None] >= lengths[:, None]
for step in range(4):
    loss = ((net(x, padding) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
