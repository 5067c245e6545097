"""zero_grad stands between backward and step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(32, 3)
y = x.norm(dim=1, keepdim=True)
for _step in range(6):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.zero_grad()  # finding: optim-step-no-grad
    optimizer.step()
