"""Features are normalised with NumPy between the two halves of a network."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
stage1, stage2 = nn.Linear(6, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*stage1.parameters(), *stage2.parameters()], lr=1e-3)
x, y = torch.randn(32, 6), torch.randn(32, 1)
for step in range(5):
    features = stage1(x).detach().numpy()  # finding: history-numpy
    mean, std = features.mean(axis=0), features.std(axis=0)
    normal = np.clip((features - mean) / (std + 1e-6), -3, 3)
    out = stage2(torch.from_numpy(normal))
    loss = ((out - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
