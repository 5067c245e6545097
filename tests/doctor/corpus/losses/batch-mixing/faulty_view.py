"""`view` brings the batch to the second dimension, but not the elements."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 16)
        self.out = nn.Linear(16, 2)

    def forward(self, x):
        batch, steps, size = x.shape
        states, last = self.rnn(x.view(steps, batch, size))  # finding: batch-mixing
        return self.out(last[0])


torch.manual_seed(0)
net = Tagger()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(12, 5, 4), torch.randint(2, (12,))
for step in range(4):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
