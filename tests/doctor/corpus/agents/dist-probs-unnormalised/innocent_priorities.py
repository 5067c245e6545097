"""A replay memory draws by priorities, which are no probabilities and need not be."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(64, 3)
y = x.sum(1, keepdim=True)
priorities = torch.full((64,), 5.0)
for _ in range(6):
    picked = Categorical(priorities).sample((16,))
    error = y[picked] - net(x[picked])
    optimizer.zero_grad()
    F.mse_loss(net(x[picked]), y[picked]).backward()
    optimizer.step()
    priorities[picked] = error.detach().abs().squeeze(1) + 0.1
