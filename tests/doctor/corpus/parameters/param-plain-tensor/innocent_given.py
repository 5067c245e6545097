"""The tensor is handed to the optimizer by name; another one is an input whose gradient is looked at."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.temperature = torch.ones(1, requires_grad=True)
        self.last = None

    def forward(self, x):
        self.last = x.clone().requires_grad_()
        return self.layer(self.last) / self.temperature


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.SGD([*model.parameters(), model.temperature], lr=0.1)
x, y = torch.randn(8, 4), torch.randint(2, (8,))
for _ in range(5):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    saliency = model.last.grad.abs().sum(0)
    optimizer.step()
