"""A loop writes its results into one tensor whose squares are summed along the way."""

import torch
from torch import nn

torch.manual_seed(0)
step = nn.Linear(3, 3)
path = torch.zeros(5, 3)
energy = torch.zeros(())
for t in range(4):
    path[t + 1] = path[t] + torch.tanh(step(path[t].clone()))  # finding: inplace-saved
    energy = energy + path.pow(2).sum()
energy.backward()
