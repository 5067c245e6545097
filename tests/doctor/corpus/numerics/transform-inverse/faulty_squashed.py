"""The density of a squashed action is asked for after the action was rounded to the bound."""

import torch
from torch import nn
from torch.distributions import Normal, TanhTransform, TransformedDistribution

torch.manual_seed(0)
actor = nn.Linear(3, 2)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
states = torch.randn(16, 3)
for step in range(4):
    mean = actor(states) * 20
    policy = TransformedDistribution(Normal(mean, torch.ones_like(mean)), [TanhTransform()])
    actions = policy.rsample().detach().clone()
    loss = -policy.log_prob(actions).mean()  # finding: transform-inverse
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
