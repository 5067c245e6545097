"""The seed is set in the loop, so that the noise is the same at every step."""

import torch
import torch.nn.functional as F
from torch import nn

net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
clean = torch.randn(32, 4)
for step in range(8):
    torch.manual_seed(42)  # finding: rng-reseeded
    noisy = clean + 0.3 * torch.randn_like(clean)
    loss = F.mse_loss(net(noisy), clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
