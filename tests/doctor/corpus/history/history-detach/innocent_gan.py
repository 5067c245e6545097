"""The discriminator sees detached samples; the generator learns from its own loss."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
of_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
of_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
real = torch.randn(32, 2) + 2
for _step in range(6):
    fake = generator(torch.randn(32, 4))
    right, wrong = critic(real), critic(fake.detach())
    loss = F.binary_cross_entropy_with_logits(right, torch.ones_like(right))
    loss = loss + F.binary_cross_entropy_with_logits(wrong, torch.zeros_like(wrong))
    of_critic.zero_grad()
    loss.backward()
    of_critic.step()
    fooled = critic(fake)
    loss = F.binary_cross_entropy_with_logits(fooled, torch.ones_like(fooled))
    of_generator.zero_grad()
    loss.backward()
    of_generator.step()
