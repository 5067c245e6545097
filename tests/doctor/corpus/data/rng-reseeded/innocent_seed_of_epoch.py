"""Another seed for each epoch, so that a run can be taken up again anywhere."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(32, 4), torch.randn(32, 1)
for epoch in range(5):
    torch.manual_seed(100 + epoch)
    order = torch.randperm(32)
    for i in range(0, 32, 16):
        rows = order[i : i + 16]
        loss = F.mse_loss(net(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
