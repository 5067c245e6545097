"""A head for each task, appended to a dict as the tasks come."""

import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 10), nn.Tanh())
        self.heads = {}  # finding: param-in-container
        for name, size in tasks.items():
            self.heads[name] = nn.Linear(10, size)

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


def main():
    torch.manual_seed(0)
    net = MultiTask({"colour": 3, "shape": 2})
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss()
    for step in range(4):
        x = torch.randn(8, 6)
        wanted = {"colour": torch.randint(3, (8,)), "shape": torch.randint(2, (8,))}
        out = net(x)
        loss = sum(criterion(out[name], wanted[name]) for name in out)
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
