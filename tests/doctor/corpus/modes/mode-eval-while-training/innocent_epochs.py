"""train() and eval() take turns as they should."""

import torch
import torch.nn.functional as F
from torch import nn


def train_one_epoch(model, optimizer, x, y):
    model.train()
    for i in range(0, len(x), 8):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x[i : i + 8]), y[i : i + 8])
        loss.backward()
        optimizer.step()


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        return F.mse_loss(model(x), y).item()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(32, 4), torch.randn(32, 1)
evaluate(model, x, y)
for _ in range(4):
    train_one_epoch(model, optimizer, x, y)
    print(evaluate(model, x, y))
