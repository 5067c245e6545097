"""With a cache the very sample is scored from what it was made of."""

import torch
from torch import nn
from torch.distributions import Normal, TanhTransform, TransformedDistribution

torch.manual_seed(0)
actor = nn.Linear(3, 2)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
states = torch.randn(16, 3)
for step in range(4):
    mean = actor(states) * 20
    policy = TransformedDistribution(Normal(mean, torch.ones_like(mean)), [TanhTransform(cache_size=1)])
    actions = policy.rsample()
    loss = (0.01 * policy.log_prob(actions)).mean() + (actions - 0.5).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
