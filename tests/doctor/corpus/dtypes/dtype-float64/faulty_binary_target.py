"""The target is float64, and the binary loss finds out in its backward."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

table = np.random.default_rng(0).normal(size=(20, 5))
x = torch.tensor(table[:, :4], dtype=torch.float32)
y = torch.tensor((table[:, 4:] > 0).astype(float))  # finding: dtype-float64
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())
criterion = nn.BCELoss()
optimizer = torch.optim.Adam(net.parameters())
for batch, labels in DataLoader(TensorDataset(x, y), batch_size=10):
    optimizer.zero_grad()
    loss = criterion(net(batch), labels)
    loss.backward()
    optimizer.step()
