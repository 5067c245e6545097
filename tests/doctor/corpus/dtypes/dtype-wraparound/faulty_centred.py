"""Images are centred while they are still bytes."""

import torch
from torch import nn

torch.manual_seed(0)
images = torch.randint(0, 256, (16, 1, 6, 6), dtype=torch.uint8)
labels = torch.randint(3, (16,))
net = nn.Sequential(nn.Flatten(), nn.Linear(36, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(3):
    centred = images - 128  # finding: dtype-wraparound
    loss = nn.functional.cross_entropy(net(centred.float() / 128), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
