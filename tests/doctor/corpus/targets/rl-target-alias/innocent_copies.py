"""Real copies: by deepcopy, and by a second network that loads the first one's weights."""

import copy

import torch
import torch.nn.functional as F
from torch import nn


def make():
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))


torch.manual_seed(0)
net = make()
slow, hard = copy.deepcopy(net), make()
hard.load_state_dict(net.state_dict())
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(8):
    x, x_next, r = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8)
    with torch.no_grad():
        wanted = r + 0.5 * 0.9 * (slow(x_next).max(1)[0] + hard(x_next).max(1)[0])
    loss = F.mse_loss(net(x).max(1)[0], wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for t, s in zip(slow.parameters(), net.parameters()):
        t.data = 0.95 * t.data + 0.05 * s.data
    if step % 3 == 0:
        hard.load_state_dict(net.state_dict())
