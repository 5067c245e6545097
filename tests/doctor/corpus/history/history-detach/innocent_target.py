"""A target network's output is detached, and the online network learns."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
online = nn.Linear(4, 2)
target = copy.deepcopy(online)
optimizer = torch.optim.SGD(online.parameters(), lr=0.05)
state, following = torch.randn(16, 4), torch.randn(16, 4)
action, reward = torch.randint(2, (16, 1)), torch.randn(16)
for _step in range(6):
    value = online(state).gather(1, action).squeeze(1)
    wanted = reward + 0.9 * target(following).max(1).values.detach()
    loss = F.mse_loss(value, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(target.parameters(), online.parameters()):
            slow.lerp_(fast, 0.1)
