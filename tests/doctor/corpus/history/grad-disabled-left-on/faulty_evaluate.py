"""The evaluation switches gradients off and forgets to switch them on again."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(net.parameters())
x, y = torch.randn(20, 4), torch.randint(2, (20,))


def evaluate():
    net.eval()
    torch.set_grad_enabled(False)  # finding: grad-disabled-left-on
    accuracy = (net(x).argmax(1) == y).float().mean()
    net.train()
    return accuracy.item()


for epoch in range(4):
    for rows in torch.randperm(20).split(10):
        loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, evaluate())
