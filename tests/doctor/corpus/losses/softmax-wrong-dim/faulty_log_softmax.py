"""nn.LogSoftmax(dim=0) at the end of a network."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(6, 12),
    nn.ReLU(),
    nn.Linear(12, 4),
    nn.LogSoftmax(dim=0),  # finding: softmax-wrong-dim
)
criterion = nn.NLLLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(25, 6), torch.randint(4, (25,))
for step in range(4):
    loss = criterion(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
