"""Negative log-likelihoods of a flow, a VAE and a regression; and one that is maximised by its optimizer."""

import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

torch.manual_seed(0)
x = torch.randn(32, 2) * 2 + 1

shift, log_scale = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(2))
optimizer = torch.optim.Adam([shift, log_scale], lr=1e-2)
for _ in range(4):
    z = (x - shift) * torch.exp(-log_scale)
    log_prob = Normal(0.0, 1.0).log_prob(z).sum(1) - log_scale.sum()
    optimizer.zero_grad()
    (-log_prob.mean()).backward()
    optimizer.step()

encoder, decoder = nn.Linear(2, 4), nn.Linear(2, 2)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for _ in range(4):
    mean, log_std = encoder(x).chunk(2, -1)
    q = Normal(mean, log_std.exp())
    code = q.rsample()
    elbo = Normal(decoder(code), 1.0).log_prob(x).sum(-1) - kl_divergence(q, Normal(0.0, 1.0)).sum(-1)
    entropy = q.log_prob(code).sum(-1)
    loss = -elbo.mean() + 1e-3 * entropy.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, maximize=True)
for _ in range(4):
    gain = Normal(net(x), 1.0).log_prob(x.sum(1, keepdim=True)).mean()
    optimizer.zero_grad()
    gain.backward()
    optimizer.step()
