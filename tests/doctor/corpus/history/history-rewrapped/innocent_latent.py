"""A latent code starts at what the encoder says and is then optimised by itself; so is an adversarial input."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(8, 3), nn.Linear(3, 8)
x = torch.randn(4, 8)
train = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
for _ in range(4):
    train.zero_grad()
    F.mse_loss(decoder(encoder(x)), x).backward()
    train.step()
latent = torch.tensor(encoder(x).detach().numpy(), requires_grad=True)
refine = torch.optim.Adam([latent], lr=0.1)
for _ in range(5):
    refine.zero_grad()
    F.mse_loss(decoder(latent), x).backward()
    refine.step()
attack = x.clone().requires_grad_()
F.mse_loss(decoder(encoder(attack)), x).backward()
perturbed = (attack + 0.1 * attack.grad.sign()).detach()
