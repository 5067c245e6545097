"""One value is repeated on purpose: the first frame fills the stack, one weight serves all."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
frame = np.ones((2, 2), dtype=np.float32)
frames = torch.tensor(np.stack([frame] * 8))
weight = nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([weight], lr=0.05)
start = torch.zeros(4)
for _step in range(12):
    many = torch.stack([weight for _ in range(8)])
    states = torch.stack([start] * 8)
    loss = (frames.flatten(1) * many + states - 2).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
