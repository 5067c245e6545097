"""float64 on purpose: a network in double precision, and statistics that are accumulated in it."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1).double()
optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=3)
x = torch.from_numpy(np.random.default_rng(0).normal(size=(32, 4)))
y = x.sum(1, keepdim=True)
for step in range(3):

    def closure():
        optimizer.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        return loss

    optimizer.step(closure)
