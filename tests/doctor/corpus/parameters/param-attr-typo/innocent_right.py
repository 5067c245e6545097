"""The right words in each of their forms."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
net[0].requires_grad_(False)
net[2].weight.requires_grad = False
net[2].bias.requires_grad_(False)
net.frozen_layers = 2
optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad])
for _ in range(4):
    x = torch.randn(6, 3)
    for p in net.parameters():
        p.grad = None
    (net(x) - x.sum(1, keepdim=True)).pow(2).mean().backward()
    optimizer.step()
