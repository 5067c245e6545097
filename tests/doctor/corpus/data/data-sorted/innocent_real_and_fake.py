"""A discriminator sees batches of one label each: real ones and fake ones."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(64, 2) + 2), batch_size=8)
generator = nn.Linear(3, 2)
critic = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
of_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
of_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
real, fake = torch.ones(8, dtype=torch.long), torch.zeros(8, dtype=torch.long)
for (x,) in loader:
    made = generator(torch.randn(8, 3))
    of_critic.zero_grad()
    loss = F.cross_entropy(critic(x), real)
    loss = loss + F.cross_entropy(critic(made.detach()), fake)
    loss.backward()
    of_critic.step()
    of_generator.zero_grad()
    F.cross_entropy(critic(made), real).backward()
    of_generator.step()
