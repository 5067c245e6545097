"""Both sides of a distance have a history on purpose: an equation's residual, and two views of one image."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(5):
    t = torch.rand(20, 1, requires_grad=True)
    u = net(t)
    slope = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    residual = F.mse_loss(slope, 1.0 + -2.0 * u)
    start = (net(torch.zeros(1, 1)) - 1).pow(2).sum()
    agreement = F.mse_loss(net(t + 0.01 * torch.randn(20, 1)), net(t - 0.01 * torch.randn(20, 1)))
    optimizer.zero_grad()
    (residual + start + agreement).backward()
    optimizer.step()
