"""Each parameter has an optimizer of its own, which steps and clears as soon as its gradient is there."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
optimizers = {p: torch.optim.Adam([p], lr=1e-2) for p in model.parameters()}


def step(p):
    optimizers[p].step()
    optimizers[p].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(step)
for _round in range(8):
    x = torch.randn(5, 4)
    (model(x) - x.sum(1, keepdim=True)).pow(2).mean().backward()
