"""One order for both, drawn in each epoch; and mixup, which mixes both in the same way."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(40, 4), torch.randint(2, (40,))
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    order = torch.randperm(40)
    x, y = x[order], y[order]
    for i in range(0, 40, 10):
        inputs, labels = x[i : i + 10], y[i : i + 10]
        mixing = torch.randperm(10)
        mixed = 0.7 * inputs + 0.3 * inputs[mixing]
        out = net(mixed)
        loss = 0.7 * F.cross_entropy(out, labels) + 0.3 * F.cross_entropy(out, labels[mixing])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
