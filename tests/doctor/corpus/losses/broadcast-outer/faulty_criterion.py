"""nn.MSELoss is told (N, 1) and (N,)."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x):
        return self.layers(x)


torch.manual_seed(0)
data = torch.randn(40, 5)
loader = DataLoader(TensorDataset(data, data[:, 0] * 3), batch_size=10, shuffle=True)
model, criterion = Regressor(), nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for features, target in loader:
        optimizer.zero_grad()
        loss = criterion(model(features), target)  # finding: broadcast-outer
        loss.backward()
        optimizer.step()
