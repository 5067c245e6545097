"""The labels are sorted, and the loader keeps their order."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labels = torch.arange(4).repeat_interleave(24)
images = torch.randn(96, 6) + labels[:, None]
loader = DataLoader(TensorDataset(images, labels), batch_size=8)  # finding: data-sorted
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _epoch in range(2):
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
