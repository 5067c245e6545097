"""The loop has a backward, and no step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # finding: optim-never-stepped
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(40, 4), torch.randint(2, (40,))), 8)
for epoch in range(2):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        total += loss.item()
    print(epoch, total / len(loader))
