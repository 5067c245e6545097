"""Monte-Carlo dropout: the spread of many answers to one question is the point."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(32, 2)
y = x.sum(1, keepdim=True)
x_test = torch.randn(8, 2)
y_test = x_test.sum(1, keepdim=True)
for _epoch in range(5):
    net.train()
    loss = F.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        answers = torch.stack([net(x_test) for _ in range(10)])
    mean, spread = answers.mean(0), answers.std(0)
    print(((mean - y_test) ** 2).mean().item(), spread.mean().item())

net.eval()
for layer in net.modules():
    if isinstance(layer, nn.Dropout):
        layer.train()
with torch.no_grad():
    print(F.mse_loss(net(x_test), y_test).item())
    print(F.mse_loss(net(x_test), y_test).item())
