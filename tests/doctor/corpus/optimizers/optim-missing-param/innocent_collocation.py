"""A physics-informed network: the points require grad for the equation's derivatives."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
t = torch.linspace(0, 1, 20).reshape(-1, 1).requires_grad_()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _step in range(6):
    u = net(t)
    (slope,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    start = net(torch.zeros(1, 1))
    loss = (slope + u).pow(2).mean() + (start - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
