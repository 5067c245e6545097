"""Probabilities where probabilities are wanted: BCELoss, nll_loss of a log, Categorical(probs=...)."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Bernoulli, Categorical

torch.manual_seed(0)
net = nn.Linear(6, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(24, 6), torch.randint(3, (24,))
for step in range(5):
    probabilities = torch.softmax(net(x), dim=1)
    loss = F.nll_loss(torch.log(probabilities + 1e-9), y)
    loss = loss - Categorical(probabilities).log_prob(y).mean() - Categorical(logits=net(x)).entropy().mean() * 0.01
    loss = loss + nn.BCELoss()(torch.sigmoid(net(x)), F.one_hot(y, 3).float())
    loss = loss - Bernoulli(probs=torch.sigmoid(net(x))).log_prob(F.one_hot(y, 3).float()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
