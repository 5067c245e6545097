"""Dropout that is on in evaluation because the program says so, to see how sure the network is."""

import torch
import torch.nn.functional as F
from torch import nn


class Bayesian(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 24)
        self.fc2 = nn.Linear(24, 1)

    def forward(self, x):
        return self.fc2(F.dropout(torch.relu(self.fc1(x)), p=0.1, training=True))


torch.manual_seed(0)
net = Bayesian()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(30, 3)
y = x[:, :1] ** 2
for _ in range(6):
    optimizer.zero_grad()
    F.mse_loss(net(x), y).backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    print(torch.stack([net(x) for _ in range(20)]).std(0).mean())
noise = F.dropout(torch.ones(100))
print(noise.mean())
