"""Each of several runs begins with the same seed, to compare learning rates."""

import torch
import torch.nn.functional as F
from torch import nn

results = {}
for lr in (0.3, 0.1, 0.03, 0.01):
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=lr)
    for _ in range(4):
        x = torch.randn(16, 3)
        loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    results[lr] = loss.item()
print(results)
