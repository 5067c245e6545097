"""Targets follow by lerp_ and mul_/add_, and the optimizers only have the networks that learn."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
one, two = [nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)) for _ in range(2)]
two.load_state_dict(one.state_dict())
with torch.no_grad():
    for parameter in two.parameters():
        parameter.add_(0.01 * torch.randn_like(parameter))
targets = copy.deepcopy(nn.ModuleList([actor, one, two]))
of_actor = torch.optim.Adam(actor.parameters(), lr=1e-3)
of_critics = torch.optim.Adam([*one.parameters(), *two.parameters()], lr=1e-3)
for step in range(6):
    state, following, reward = torch.randn(8, 3), torch.randn(8, 3), torch.randn(8, 1)
    action = torch.rand(8, 1) * 2 - 1
    with torch.no_grad():
        noise = (0.2 * torch.randn(8, 1)).clamp(-0.5, 0.5)
        after = torch.cat([following, (targets[0](following) + noise).clamp(-1, 1)], 1)
        wanted = reward + 0.99 * torch.min(targets[1](after), targets[2](after))
    taken = torch.cat([state, action], 1)
    loss = F.mse_loss(one(taken), wanted) + F.mse_loss(two(taken), wanted)
    of_critics.zero_grad()
    loss.backward()
    of_critics.step()
    if step % 2:
        of_actor.zero_grad()
        (-one(torch.cat([state, actor(state)], 1)).mean()).backward()
        of_actor.step()
        with torch.no_grad():
            for slow, fast in zip(targets.parameters(), nn.ModuleList([actor, one, two]).parameters()):
                slow.mul_(0.995).add_(0.005 * fast)
