"""The network's output is infinite for one state, and a distribution refuses it."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Linear(3, 2)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
for step in range(6):
    states = torch.randn(8, 3) * (1 if step < 3 else 0)
    directions = states / states.norm(dim=1, keepdim=True)  # finding: nan-forward
    mean, scale = actor(directions).chunk(2, dim=-1)
    policy = Normal(mean, torch.exp(scale))
    loss = -policy.log_prob(torch.zeros(8, 1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
