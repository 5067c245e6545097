"""Steps inside of a step: weights are made anew from gradients, and the first ones learn."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(net.parameters(), 1e-3)
for it in range(15):
    meta = 0.0
    for task in range(3):
        amp, ph = torch.rand(1) * 4 + 1, torch.rand(1) * 3
        xs, xq = torch.rand(10, 1) * 4, torch.rand(10, 1) * 4
        fast = dict(net.named_parameters())
        for _ in range(2):
            inner = F.mse_loss(functional_call(net, fast, xs), amp * torch.sin(xs + ph))
            g = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            fast = {k: v - 0.01 * gi for (k, v), gi in zip(fast.items(), g)}
        meta = meta + F.mse_loss(functional_call(net, fast, xq), amp * torch.sin(xq + ph))
    opt.zero_grad()
    (meta / 3).backward()
    opt.step()
