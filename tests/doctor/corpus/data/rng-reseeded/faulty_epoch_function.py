"""Each epoch begins with the same seed: dropout and shuffling repeat themselves."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def set_seed(seed=0):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)  # finding: rng-reseeded


def train_epoch(model, loader, optimizer):
    set_seed(1234)
    model.train()
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    loader = DataLoader(TensorDataset(torch.randn(24, 5), torch.randint(2, (24,))), batch_size=8, shuffle=True)
    model = nn.Sequential(nn.Linear(5, 8), nn.Dropout(0.5), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _epoch in range(4):
        train_epoch(model, loader, optimizer)


main()
