"""The mean of the losses is taken by NumPy; backward refuses what comes back."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
batches = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(3)]
for epoch in range(2):
    losses = []
    for x, y in batches:
        loss = nn.functional.mse_loss(net(x), y)
        losses.append(loss.detach().cpu().numpy())  # finding: history-numpy
    total = torch.tensor(np.mean(losses))
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
