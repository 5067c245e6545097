"""The value from before the tanh is kept and scored; other actions are clipped away from the bound."""

import math

import torch
from torch import nn
from torch.distributions import Normal, TanhTransform, TransformedDistribution

torch.manual_seed(0)
actor = nn.Linear(3, 2)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
states = torch.randn(16, 3)
for step in range(4):
    mean = actor(states) * 20
    base = Normal(mean, torch.ones_like(mean))
    raw = base.rsample()
    action = torch.tanh(raw)
    density = base.log_prob(raw) - 2 * (math.log(2) - raw - nn.functional.softplus(-2 * raw))
    squashed = TransformedDistribution(base, [TanhTransform()])
    clipped = squashed.log_prob(action.detach().clamp(-0.999, 0.999))
    loss = (0.01 * density).mean() + (action - 0.5).pow(2).mean() - 0.001 * clipped.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
