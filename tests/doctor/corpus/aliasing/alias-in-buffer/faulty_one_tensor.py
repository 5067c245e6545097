"""One tensor is refilled for each sample and stored each time."""

import torch
from torch import nn

torch.manual_seed(0)
sample = torch.zeros(4)
samples, targets = [], []
for _ in range(24):
    sample.normal_()
    samples.append(sample)  # finding: alias-in-buffer
    targets.append(sample.sum().item())
x, y = torch.stack(samples), torch.tensor(targets)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _step in range(4):
    optimizer.zero_grad()
    (model(x).squeeze(1) - y).pow(2).mean().backward()
    optimizer.step()
