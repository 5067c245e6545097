"""Early stopping whose checkpoint is a plain dict of the live weights."""

import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.checkpoint = patience, None, 0, None

    def __call__(self, loss, model):
        if self.best is None or loss < self.best:
            self.best, self.bad = loss, 0
            self.checkpoint = {"model": dict(model.state_dict()), "loss": loss}  # finding: alias-state-dict
        else:
            self.bad += 1
        return self.bad >= self.patience


def main():
    torch.manual_seed(0)
    model, stopping = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1)), EarlyStopping(2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    x = torch.randn(16, 3)
    for _epoch in range(12):
        loss = (model(x) - x.prod(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if stopping(loss.item(), model):
            break
    model.load_state_dict(stopping.checkpoint["model"])


main()
