"""The statistics of batch norm are gathered anew after training, in training mode and without gradients."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
batches = [(torch.randn(16, 4), torch.randint(2, (16,))) for _ in range(4)]
for _ in range(2):
    for x, y in batches:
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
    net[1].reset_running_stats()
    with torch.no_grad():
        for x, _y in batches:
            net(x)
    net.eval()
    with torch.no_grad():
        print(sum((net(x).argmax(1) == y).sum().item() for x, y in batches))
    net.train()
