"""A result is clipped for a plot, in the array that shares its memory."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _step in range(4):
    hidden = torch.tanh(model(torch.randn(16, 4)))
    loss = (hidden - 1).pow(2).mean()
    shown = hidden.detach().numpy()
    np.clip(shown, 0, 0.1, out=shown)  # finding: numpy-alias-write
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
