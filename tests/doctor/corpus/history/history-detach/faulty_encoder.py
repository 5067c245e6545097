"""The encoder's output is detached although the optimizer is to train it."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(8, 16)
head = nn.Linear(16, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=1e-3)
x, y = torch.randn(32, 8), torch.randn(32, 4)
for _step in range(5):
    hidden = torch.tanh(encoder(x)).detach()  # finding: history-detach
    loss = F.mse_loss(head(hidden), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
