"""The change of variables in three forms, and a distribution that does it by itself."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform

torch.manual_seed(0)
policy = nn.Linear(3, 1)
critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).requires_grad_(False)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for step in range(8):
    state = torch.randn(16, 3)
    dist = Normal(policy(state), 0.6)
    u = dist.rsample()
    action = torch.tanh(u)
    log_prob = dist.log_prob(u)
    if step % 4 == 0:
        log_prob = log_prob - torch.log(1 - action.pow(2) + 1e-6)
    elif step % 4 == 1:
        log_prob = log_prob - 2 * (math.log(2) - u - F.softplus(-2 * u))
    elif step % 4 == 2:
        log_prob -= torch.log1p(-action * action + 1e-6)
    else:
        squashed = TransformedDistribution(dist, [TanhTransform(cache_size=1)])
        action = squashed.rsample()
        log_prob = squashed.log_prob(action)
    loss = (0.1 * log_prob - critic(torch.cat([state, action], 1))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
