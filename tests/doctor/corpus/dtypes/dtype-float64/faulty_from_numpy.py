"""NumPy's floats are float64, and so is the tensor."""

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
features = rng.normal(size=(32, 4))
targets = features.sum(1, keepdims=True).astype(np.float32)
x = torch.from_numpy(features)  # finding: dtype-float64
y = torch.from_numpy(targets)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    loss = ((net(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
