"""PPO scores the value before tanh on both sides of its ratio; a VAE compares two densities of one code."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
policy = nn.Linear(3, 1)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for _ in range(4):
    state = torch.randn(16, 3)
    with torch.no_grad():
        dist = Normal(policy(state), 0.5)
        u = dist.sample()
        reward = torch.tanh(u) * state[:, :1]
        old = dist.log_prob(u)
    ratio = (Normal(policy(state), 0.5).log_prob(u) - old).exp()
    loss = -(ratio * (reward - reward.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

encoder, decoder = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for _ in range(4):
    x = torch.randn(16, 6)
    mean, log_std = encoder(x).chunk(2, -1)
    posterior = Normal(mean, log_std.exp())
    code = posterior.rsample()
    divergence = (posterior.log_prob(code) - Normal(0.0, 1.0).log_prob(code)).sum(-1)
    likelihood = Normal(decoder(torch.tanh(code)), 1.0).log_prob(x).sum(-1)
    loss = (divergence - likelihood).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
