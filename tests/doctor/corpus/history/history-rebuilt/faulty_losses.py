"""The losses of a batch are gathered in a list, and made a tensor of: backward refuses it."""

import torch
import torch.nn.functional as F
from torch import nn


def train(net, data, optimizer):
    losses = []
    for x, y in data:
        losses.append(F.mse_loss(net(x), y))
    loss = torch.FloatTensor(losses).mean()  # finding: history-rebuilt
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


torch.manual_seed(1)
net = nn.Linear(4, 1)
data = [(torch.randn(2, 4), torch.randn(2, 1)) for _ in range(4)]
train(net, data, torch.optim.SGD(net.parameters(), lr=0.1))
