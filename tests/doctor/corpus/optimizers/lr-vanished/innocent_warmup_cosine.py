"""A warm-up from zero, then half a cosine down to zero."""

import math

import torch
from torch import nn

STEPS, WARMUP = 24, 4


def factor(step):
    if step < WARMUP:
        return step / WARMUP
    return 0.5 * (1 + math.cos(math.pi * (step - WARMUP) / (STEPS - WARMUP)))


torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
for _step in range(STEPS):
    x = torch.randn(8, 3)
    optimizer.zero_grad()
    (model(x) - x.sum(1, keepdim=True)).pow(2).mean().backward()
    optimizer.step()
    schedule.step()
