"""Casts that are meant: class labels, bins as indices, rounding, and levels of a quantiser."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net, table = nn.Linear(4, 5), nn.Embedding(10, 4)
optimizer = torch.optim.Adam([*net.parameters(), *table.parameters()], lr=1e-2)
for step in range(5):
    x = torch.rand(30, 4)
    bins = (x[:, 0] * 10).long()
    labels = (x.sum(1) * 1.2).long()
    levels = (x * 255).to(torch.uint8).float() / 255
    whole = (x * 3).round().int()
    hidden = levels + table(bins)
    out = net(hidden)
    loss = F.cross_entropy(out, labels) + F.mse_loss(out[:, :4], whole.float())
    loss = loss + F.mse_loss(out[:, 0], bins.float() / 10)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
