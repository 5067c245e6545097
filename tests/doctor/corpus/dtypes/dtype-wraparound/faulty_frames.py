"""The difference of two frames, and their sum, in uint8."""

import torch
from torch import nn


class Motion(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(25, 1)

    def forward(self, before, now):
        change = now - before  # finding: dtype-wraparound
        return self.head(change.float().flatten(1) / 255)


torch.manual_seed(0)
net = Motion()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
frames = torch.randint(0, 256, (9, 5, 5), dtype=torch.uint8)
moved = torch.rand(8, 1)
for step in range(4):
    loss = (net(frames[:-1], frames[1:]) - moved).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
