"""Semi-supervised learning makes a classifier sure of what has no labels: entropy is removed on purpose."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y, unlabelled = torch.randn(20, 5), torch.randint(3, (20,)), torch.randn(60, 5)
for _ in range(6):
    likelihood = Categorical(logits=net(x)).log_prob(y).mean()
    unsure = Categorical(logits=net(unlabelled)).entropy().mean()
    loss = -likelihood + 0.1 * unsure
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
