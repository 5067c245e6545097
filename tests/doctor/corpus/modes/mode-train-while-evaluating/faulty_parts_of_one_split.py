"""Accuracy over the parts of one split, with dropout as in training."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def accuracy(model, X, Y):
    hits = 0
    with torch.no_grad():
        for x, y in zip(X.split(20), Y.split(20)):
            hits += (model(x).argmax(1) == y).sum().item()  # finding: mode-train-while-evaluating
    return hits / len(X)


torch.manual_seed(0)
X = torch.randn(200, 8)
Y = (X[:, 0] > 0).long()
net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for epoch in range(6):
    for x, y in zip(X[:120].split(20), Y[:120].split(20)):
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, accuracy(net, X[120:], Y[120:]))
