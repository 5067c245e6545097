"""A running mean of the loss is part of the next loss."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), 0.01)
ema = torch.zeros(())
for _ in range(12):
    x = torch.randn(8, 4)
    error = F.mse_loss(net(x), x[:, :1])
    ema = 0.9 * ema + 0.1 * error  # finding: graph-grows
    loss = error + 0.1 * (error - ema) ** 2
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
