"""rsample() for the model, sample() of a prior that is fixed, and noise added by hand."""

import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
prior = Normal(torch.zeros(2), torch.ones(2))
x = torch.randn(12, 6)
for step in range(5):
    mean, log_var = encoder(x).chunk(2, dim=1)
    code = Normal(mean, (0.5 * log_var).exp())
    z = code.rsample()
    noise = prior.sample((12,))
    loss = (decoder(z + 0.1 * noise) - x).pow(2).mean() + 1e-2 * kl_divergence(code, prior).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    dreams = decoder(prior.sample((3,))).detach()
