"""A critic is frozen while the generator learns, and free while it learns itself."""

import torch
import torch.nn.functional as F
from torch import nn


def set_requires_grad(net, flag):
    for p in net.parameters():
        p.requires_grad = flag


torch.manual_seed(0)
net = nn.ModuleDict({"generator": nn.Linear(2, 4), "critic": nn.Linear(4, 1)})
train = torch.optim.Adam(net["generator"].parameters(), lr=1e-3)
judge = torch.optim.Adam(net["critic"].parameters(), lr=1e-3)
for step in range(6):
    fake = net["generator"](torch.randn(8, 2))
    set_requires_grad(net["critic"], False)
    train.zero_grad()
    F.softplus(-net["critic"](fake)).mean().backward()
    train.step()
    set_requires_grad(net["critic"], True)
    judge.zero_grad()
    (F.softplus(net["critic"](fake.detach())) + F.softplus(-net["critic"](torch.randn(8, 4)))).mean().backward()
    judge.step()
