"""Both orders are drawn from the same seed, so they are one; other data has an order of its own."""

import torch
import torch.nn.functional as F
from torch import nn

x, y = torch.randn(30, 4), torch.randint(2, (30,))
unlabelled = torch.randn(30, 4)
torch.manual_seed(3)
x = x[torch.randperm(30)]
torch.manual_seed(3)
y = y[torch.randperm(30)]
unlabelled = unlabelled[torch.randperm(30)]
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    loss = F.cross_entropy(net(x), y)
    guess = net(unlabelled).softmax(1)
    loss = loss - 0.1 * (guess * guess.log()).sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
