"""Quantised weights: rounded, clamped to int8, and multiplied in int32."""

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(8, 4)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
x = torch.randn(16, 8)
for step in range(4):
    scale = layer.weight.detach().abs().max() / 127
    small = (layer.weight.detach() / scale).round().clamp(-127, 127).to(torch.int8)
    inputs = (x * 20).round().clamp(-127, 127).to(torch.int8)
    product = inputs.int() @ small.int().t()
    exact = layer(x)
    loss = (exact - product * scale / 20).pow(2).mean() + exact.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
