"""Columns meet columns, a batch of one, a bias, and rows that are normalised by their own length."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 1)
offset = torch.zeros(8, 1, requires_grad=True)
optimizer = torch.optim.Adam([*net.parameters(), offset], lr=1e-2)
for step in range(5):
    x = torch.randn(8, 5)
    y = x.sum(1)
    x = x / x.norm(dim=1, keepdim=True)
    loss = F.mse_loss(net(x).squeeze(1), y) + ((net(x) + offset - y.unsqueeze(1)) ** 2).mean()
    single = net(x[:1])
    loss = loss + ((single - y[:1]) ** 2).mean()
    attention = torch.softmax(net(x).view(1, 8) * y, dim=1)
    loss = loss + (attention @ x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
