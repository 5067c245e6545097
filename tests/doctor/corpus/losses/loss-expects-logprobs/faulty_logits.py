"""NLLLoss straight on the outputs of a linear layer."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
criterion = nn.NLLLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.randn(30, 8), torch.randint(4, (30,))
for step in range(5):
    output = net(x)
    loss = criterion(output, y)  # finding: loss-expects-logprobs
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
