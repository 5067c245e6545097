"""The critic steps between the generator's forward and its backward."""

import torch
from torch import nn

torch.manual_seed(0)
g = nn.Linear(2, 2)
d = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
opt_g, opt_d = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
for _step in range(3):
    fake = g(torch.randn(8, 2))
    g_loss = -d(fake).mean()
    d_loss = d(fake.detach()).mean() - d(torch.randn(8, 2)).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()  # finding: inplace-saved
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
