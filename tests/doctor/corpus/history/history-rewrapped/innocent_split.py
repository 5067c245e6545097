"""Backward in two parts by hand: the features are a new leaf, and their gradient is handed on to the encoder."""

import torch
from torch import nn

torch.manual_seed(0)
encoder, head = nn.Linear(6, 4), nn.Linear(4, 2)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(10, 6), torch.randint(2, (10,))
for _ in range(5):
    features = encoder(x)
    leaf = features.detach().requires_grad_()
    loss = nn.functional.cross_entropy(head(leaf), y)
    optimizer.zero_grad()
    loss.backward()
    features.backward(leaf.grad)
    optimizer.step()
