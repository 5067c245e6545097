"""Attributes of the program's own: read later, or with another meaning."""

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, trainable=True):
        super().__init__()
        self.trainable = trainable
        self.weight = nn.Parameter(torch.randn(3, 3))
        self.weight.requires_grad = trainable

    def forward(self, x):
        return x @ self.weight


torch.manual_seed(0)
layers = nn.ModuleList([Layer(False), Layer(), Layer()])
for number, parameter in enumerate(layers.parameters()):
    parameter.lr_scale = 0.1 * (number + 1)
    parameter.is_shared = False
    parameter.tag = "dense"
layers[1].weight.learnable = True
groups = [
    {"params": [p], "lr": 0.1 * p.lr_scale}
    for p in layers.parameters()
    if p.requires_grad or getattr(p, "learnable", False)
]
optimizer = torch.optim.SGD(groups, lr=0.1)
for _ in range(4):
    x = torch.randn(5, 3)
    h = x
    for layer in layers:
        h = torch.tanh(layer(h))
    loss = (h - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
