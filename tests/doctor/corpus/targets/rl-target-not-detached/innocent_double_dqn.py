"""Double DQN with a target network under no_grad, and one whose output is detached."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
target = copy.deepcopy(online)
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
for step in range(8):
    state, following = torch.randn(16, 4), torch.randn(16, 4)
    action, reward = torch.randint(3, (16, 1)), torch.randn(16, 1)
    done = torch.rand(16, 1) < 0.2
    with torch.no_grad():
        best = online(following).argmax(1, keepdim=True)
        wanted = reward + 0.99 * target(following).gather(1, best) * ~done
    loss = F.mse_loss(online(state).gather(1, action), wanted)
    also = reward + 0.99 * target(following).max(1, keepdim=True).values * (1 - done.float())
    loss = loss + F.mse_loss(online(state).gather(1, action), also)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 3 == 2:
        target.load_state_dict(online.state_dict())
