"""Weight normalisation gives the layer other parameters, after the optimizer was made."""

import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

torch.manual_seed(0)
layer = nn.Linear(3, 1)
optimizer = torch.optim.Adam(layer.parameters(), lr=1e-2)
layer = weight_norm(layer)  # finding: optim-stale-param
for _step in range(6):
    x = torch.randn(4, 3)
    optimizer.zero_grad()
    (layer(x) - x.sum(1, keepdim=True)).pow(2).mean().backward()
    optimizer.step()
