"""The target network of BYOL runs in training mode without gradients; its outputs enter the loss."""

import copy

import torch
import torch.nn.functional as F
from torch import nn


def make_encoder():
    return nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 8))


torch.manual_seed(0)
online = make_encoder()
target = copy.deepcopy(online)
predictor = nn.Linear(8, 8)
optimizer = torch.optim.SGD([*online.parameters(), *predictor.parameters()], lr=0.05)
images = torch.randn(64, 10)


def similarity(p, z):
    return 2 - 2 * (F.normalize(p, dim=-1) * F.normalize(z, dim=-1)).sum(-1)


for _ in range(6):
    one, two = images + 0.1 * torch.randn(64, 10), images + 0.1 * torch.randn(64, 10)
    with torch.no_grad():
        z_one, z_two = target(one), target(two)
    loss = (similarity(predictor(online(one)), z_two) + similarity(predictor(online(two)), z_one)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(target.parameters(), online.parameters()):
            slow.mul_(0.99).add_(fast, alpha=0.01)
