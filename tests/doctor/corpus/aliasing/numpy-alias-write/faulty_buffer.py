"""The next batch is written into the array on which the last one's graph still lies."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
buffer = np.zeros((8, 4), dtype=np.float32)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _step in range(4):
    x = torch.from_numpy(buffer)
    loss = (model(x) - 1).pow(2).mean()
    buffer[:] = rng.normal(size=buffer.shape)  # finding: numpy-alias-write
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
