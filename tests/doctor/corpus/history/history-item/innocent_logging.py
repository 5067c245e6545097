"""Numbers are taken out for the log, early stopping and a weight that follows the loss."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 10), nn.ReLU())
first, second = nn.Linear(10, 1), nn.Linear(10, 2)
optimizer = torch.optim.Adam([*net.parameters(), *first.parameters(), *second.parameters()])
x, y, label = torch.randn(16, 5), torch.randn(16, 1), torch.randint(2, (16,))
running, best, weight = 0.0, float("inf"), 1.0
for epoch in range(6):
    h = net(x)
    regression, classes = F.mse_loss(first(h), y), F.cross_entropy(second(h), label)
    loss = regression + weight * classes
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    weight = regression.item() / (classes.item() + 1e-8)
    running += loss.item()
    best = min(best, loss.item())
    accuracy = (second(h).argmax(1) == label).float().mean().item()
    print(f"{epoch} {running / (epoch + 1):.3f} {best:.3f} {accuracy:.2f}")
