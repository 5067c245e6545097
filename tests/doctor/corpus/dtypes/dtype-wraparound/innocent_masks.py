"""Masks of bytes, images that are converted first, and bytes whose sums fit."""

import torch
from torch import nn

torch.manual_seed(0)
images = torch.randint(0, 256, (8, 9), dtype=torch.uint8)
net = nn.Linear(9, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(4):
    mask = (images > 100).to(torch.uint8)
    outside = 1 - mask
    twice = mask + mask * 2
    x = images.float() - 128
    halved = images // 2 + 10
    bits = (images ^ 255) & 15
    count = images.sum()
    back = (x + 128).clamp(0, 255).to(torch.uint8)
    loss = net(x * outside / 128 + twice + halved / 255 + bits / 15).pow(2).mean() + count * 0 + back.float().mean() * 0
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
