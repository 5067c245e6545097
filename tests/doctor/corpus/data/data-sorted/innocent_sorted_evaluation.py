"""The training loader shuffles; the sorted one is only for evaluation."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labels = torch.arange(3).repeat_interleave(16)
dataset = TensorDataset(torch.randn(48, 4) + labels[:, None], labels)
train, test = DataLoader(dataset, batch_size=8, shuffle=True), DataLoader(dataset, batch_size=8)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _epoch in range(3):
    for x, y in train:
        optimizer.zero_grad()
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
    with torch.no_grad():
        print(sum(F.cross_entropy(net(x), y).item() for x, y in test))
