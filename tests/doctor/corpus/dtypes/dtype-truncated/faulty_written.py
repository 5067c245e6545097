"""The values to be learned are written to a tensor of integers that was made for labels."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
inputs = torch.rand(64, 3)
wanted = torch.zeros(64, dtype=torch.int64)
wanted[:] = inputs.mean(1)  # finding: dtype-truncated
for _ in range(10):
    loss = nn.functional.mse_loss(net(inputs).squeeze(1), wanted.float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
