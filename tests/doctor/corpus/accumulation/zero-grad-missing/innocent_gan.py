"""The critic's gradients from the generator's loss are cleared before its own step."""

import torch
from torch import nn

torch.manual_seed(0)
g, d = nn.Linear(2, 2), nn.Linear(2, 1)
g_opt, d_opt = torch.optim.SGD(g.parameters(), lr=0.01), torch.optim.SGD(d.parameters(), lr=0.01)
for _step in range(8):
    noise = torch.randn(8, 2)
    d.zero_grad()
    (d(g(noise).detach()).mean() - d(torch.randn(8, 2) + 1).mean()).backward()
    d_opt.step()
    for p in d.parameters():
        p.data.clamp_(-0.1, 0.1)
    g.zero_grad()
    (-d(g(noise)).mean()).backward()
    g_opt.step()
