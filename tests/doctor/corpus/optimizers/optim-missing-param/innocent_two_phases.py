"""The encoder learns first, as part of an autoencoder; then a classifier learns on top of it."""

import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 3), nn.Linear(3, 6)
x, y = torch.randn(32, 6), torch.randint(2, (32,))
first = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
for _step in range(5):
    first.zero_grad()
    nn.functional.mse_loss(decoder(encoder(x)), x).backward()
    first.step()

classifier = nn.Linear(3, 2)
second = torch.optim.Adam(classifier.parameters(), lr=1e-2)
for _step in range(5):
    second.zero_grad()
    nn.functional.cross_entropy(classifier(encoder(x)), y).backward()
    second.step()
