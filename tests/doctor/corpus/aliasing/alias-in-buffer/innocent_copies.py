"""The memory stores copies."""

import random

import numpy as np
import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
rng = np.random.default_rng(0)
observation = np.zeros(3, dtype=np.float32)
memory = []
value = nn.Linear(3, 1)
optimizer = torch.optim.Adam(value.parameters(), lr=1e-2)
for step in range(30):
    observation[:] = rng.normal(size=3)
    with torch.no_grad():
        value(torch.from_numpy(observation))
    memory.append(observation.copy())
    if step >= 16:
        batch = random.sample(memory, 12)
        states = torch.from_numpy(np.stack(batch))
        again = torch.stack([torch.from_numpy(each) for each in batch])
        loss = (value(states) - again.sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
