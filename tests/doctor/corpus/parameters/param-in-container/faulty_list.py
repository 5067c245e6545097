"""Hidden layers in a plain list."""

import torch
import torch.nn.functional as F
from torch import nn


class Deep(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.hidden = [nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:])]  # finding: param-in-container
        self.out = nn.Linear(sizes[-1], 1)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.out(x)


torch.manual_seed(0)
model = Deep([4, 8, 8])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for _ in range(5):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
