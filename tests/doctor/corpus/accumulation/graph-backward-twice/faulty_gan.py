"""The generated batch is not detached for the critic, so that its graph is freed too early."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 2))
critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
g_optimizer = torch.optim.Adam(generator.parameters())
d_optimizer = torch.optim.Adam(critic.parameters())


def train_step(real):
    fake = generator(torch.randn(len(real), 2))
    d_loss = critic(fake).mean() - critic(real).mean()
    d_optimizer.zero_grad()
    d_loss.backward()
    d_optimizer.step()
    g_loss = -critic(fake).mean()
    g_optimizer.zero_grad()
    g_loss.backward()  # finding: graph-backward-twice
    g_optimizer.step()


for _step in range(3):
    train_step(torch.randn(8, 2))
