"""A GRU whose outputs are averaged over what is believed to be time."""

import torch
from torch import nn

torch.manual_seed(0)
gru = nn.GRU(3, 6)  # finding: rnn-batch-first
head = nn.Linear(6, 1)
optimizer = torch.optim.SGD([*gru.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(20, 5, 3)
y = x.sum((1, 2))[:, None]
for epoch in range(5):
    outputs, hidden = gru(x)
    loss = (head(outputs.mean(1)) - y).pow(2).mean() + nn.functional.mse_loss(head(outputs.mean(dim=1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
