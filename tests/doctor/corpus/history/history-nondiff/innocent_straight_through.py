"""Straight-through estimators: rounding, one-hot choices and a custom sign."""

import torch
import torch.nn.functional as F
from torch import nn


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= 1).float()


torch.manual_seed(0)
encoder, gate, binary, decoder = nn.Linear(6, 4), nn.Linear(6, 4), nn.Linear(6, 4), nn.Linear(4, 6)
modules = nn.ModuleList([encoder, gate, binary, decoder])
optimizer = torch.optim.Adam(modules.parameters(), lr=1e-2)
x = torch.randn(12, 6)
for step in range(5):
    h = encoder(x)
    code = h + (h.round() - h).detach()
    soft = gate(x).softmax(dim=1)
    hard = F.one_hot(soft.argmax(dim=1), 4).float()
    chosen = hard - soft.detach() + soft
    signs = Sign.apply(binary(x))
    loss = F.mse_loss(decoder(code * chosen + signs), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
