"""Copies are written to; targets and evaluations need no saved values."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
state = np.zeros(3, dtype=np.float32)
for _step in range(5):
    x = torch.tensor(state)
    out = model(x)
    action = out.detach().numpy().copy()
    state += 0.1 * action
    action *= 0
    with torch.no_grad():
        seen = model(torch.from_numpy(state)).numpy()
    seen += 1
    loss = (out - 1).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
