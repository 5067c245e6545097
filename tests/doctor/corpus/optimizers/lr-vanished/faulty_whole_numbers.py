"""A warm-up written with // is zero until it ends."""

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

WARMUP = 30


def train():
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scheduler = LambdaLR(optimizer, lambda step: min(step // WARMUP, 1))  # finding: lr-vanished
    for _step in range(40):
        x = torch.randn(8, 3)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()


train()
