"""A column of the table holds missing values."""

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(0)
table = rng.normal(size=(64, 5)).astype(np.float32)
table[[3, 17, 40], 2] = np.nan
features = torch.from_numpy(table[:, :4])  # finding: nan-forward
targets = torch.from_numpy(table[:, 4:])

torch.manual_seed(0)
loader = DataLoader(TensorDataset(features, targets), batch_size=32)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
