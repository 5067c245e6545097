"""A replay memory of tensors on one array, which the environment overwrites."""

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
for step in range(40):
    observation[:] = rng.normal(size=3)
    memory.append((torch.from_numpy(observation), float(observation.sum())))  # finding: alias-in-buffer
    if step >= 16:
        batch = random.sample(memory, 12)
        states = torch.stack([state for state, _ in batch])
        targets = torch.tensor([target for _, target in batch])
        loss = (value(states).squeeze(1) - targets).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
