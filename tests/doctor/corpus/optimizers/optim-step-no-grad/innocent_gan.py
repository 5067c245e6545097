"""The generator's gradients from the critic's loss are cleared, and those of its own loss used."""

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce

torch.manual_seed(0)
generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
of_generator = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
of_critic = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.999))
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for _step in range(6):
    real = torch.randn(16, 2) + 3
    fake = generator(torch.randn(16, 2))
    of_critic.zero_grad()
    (bce(critic(real), ones) + bce(critic(fake), zeros)).backward()
    of_critic.step()
    of_generator.zero_grad()
    bce(critic(generator(torch.randn(16, 2))), ones).backward()
    of_generator.step()
