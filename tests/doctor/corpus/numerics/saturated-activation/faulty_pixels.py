"""Pixels from 0 to 255 into tanh."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Flatten(),
    nn.Linear(64, 32),
    nn.Tanh(),  # finding: saturated-activation
    nn.Linear(32, 4),
)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
images = torch.randint(0, 256, (32, 1, 8, 8)).float()
labels = torch.randint(4, (32,))
for step in range(10):
    loss = nn.functional.cross_entropy(net(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
