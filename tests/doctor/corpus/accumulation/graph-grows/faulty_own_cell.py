"""A model of one's own gives its state back, and the loop passes it on."""

import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.cell = nn.Linear(1 + size, size)
        self.read = nn.Linear(size, 1)

    def forward(self, x, state):
        state = torch.tanh(self.cell(torch.cat([x, state], dim=1)))
        return self.read(state), state


torch.manual_seed(0)
model = Memory(6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
state = torch.zeros(4, 6)
for _step in range(6):
    x = torch.randn(4, 1)
    prediction, state = model(x, state)  # finding: graph-grows
    loss = (prediction - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
