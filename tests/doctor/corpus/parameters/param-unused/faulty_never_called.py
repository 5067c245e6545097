"""A normalisation layer is made and never called; nor is the last of a list."""

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, size=6, depth=3):
        super().__init__()
        self.norm = nn.LayerNorm(size)  # finding: param-unused
        self.blocks = nn.ModuleList([nn.Linear(size, size) for _ in range(depth)])  # finding: param-unused
        self.head = nn.Linear(size, 1)

    def forward(self, x):
        for i in range(len(self.blocks) - 1):
            x = x + torch.tanh(self.blocks[i](x))
        return self.head(x)


def fit(model, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(steps):
        x = torch.randn(8, 6)
        loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
fit(Encoder(), 5)
