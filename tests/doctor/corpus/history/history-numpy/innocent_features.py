"""A trained encoder's features are computed once, kept as arrays, and only the probe is trained on them."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, decoder, probe = nn.Linear(8, 4), nn.Linear(4, 8), nn.Linear(4, 3)
x, y = torch.randn(24, 8), torch.randint(3, (24,))
pretrain = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
for _ in range(4):
    pretrain.zero_grad()
    F.mse_loss(decoder(encoder(x)), x).backward()
    pretrain.step()
features = encoder(x).detach().numpy()
features = (features - features.mean(0)) / features.std(0)
optimizer = torch.optim.Adam(probe.parameters(), lr=1e-2)
for epoch in range(4):
    for rows in np.array_split(np.random.RandomState(epoch).permutation(24), 3):
        loss = F.cross_entropy(probe(torch.from_numpy(features[rows])), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
