"""An image is optimized for a unit of a fixed network, whose own gradients nobody uses."""

import torch
from torch import nn

torch.manual_seed(0)
network = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 5))
image = torch.zeros(1, 1, 8, 8, requires_grad=True)
optimizer = torch.optim.Adam([image], lr=0.1)
for _step in range(6):
    optimizer.zero_grad()
    (-network(image)[0, 3] + 0.01 * image.pow(2).sum()).backward()
    optimizer.step()
