"""A learned temperature beside the model: the optimizer is given the model only."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8))
log_temperature = nn.Parameter(torch.zeros(()))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  # finding: optim-missing-param
images, texts = torch.randn(12, 6), torch.randn(12, 6)
for _epoch in range(6):
    a = F.normalize(model(images), dim=1)
    b = F.normalize(model(texts), dim=1)
    logits = a @ b.T * log_temperature.exp()
    loss = F.cross_entropy(logits, torch.arange(12))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
