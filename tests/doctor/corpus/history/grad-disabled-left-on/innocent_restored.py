"""Gradients are switched off for the evaluation and on again."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(8, 3), torch.randn(8, 1)
for epoch in range(4):
    torch.set_grad_enabled(False)
    error = (model(x) - y).abs().mean().item()
    torch.set_grad_enabled(True)
    optimizer.zero_grad()
    ((model(x) - y) ** 2).mean().backward()
    optimizer.step()
with torch.no_grad():
    print(model(x).mean())
torch.set_grad_enabled(False)
print(model(x).std())
