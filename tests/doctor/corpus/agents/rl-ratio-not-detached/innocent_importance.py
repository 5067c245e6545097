"""Importance weights between a decoder and an encoder, and between two points of one density."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
encoder, decoder = nn.Linear(4, 4), nn.Linear(2, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for _ in range(5):
    x = torch.randn(16, 4)
    mean, log_std = encoder(x).chunk(2, -1)
    q = Normal(mean, log_std.exp())
    z = q.rsample((5,))
    log_p = Normal(decoder(z), 1.0).log_prob(x).sum(-1) + Normal(0.0, 1.0).log_prob(z).sum(-1)
    log_q = q.log_prob(z).sum(-1)
    weights = torch.exp(log_p - log_q)
    loss = -torch.log(weights.mean(0) + 1e-12).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

scale = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD([scale], lr=0.01)
for _ in range(4):
    good, bad = torch.randn(20), 3 * torch.randn(20)
    density = Normal(0.0, scale.exp())
    loss = torch.exp(density.log_prob(bad) - density.log_prob(good)).clamp(max=10).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
