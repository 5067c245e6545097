"""States of a recurrent layer, (T, N, H), are flattened as if the batch came first."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.rnn = nn.LSTM(3, 8)
        self.out = nn.Linear(8 * steps, 1)

    def forward(self, x):
        states, _ = self.rnn(x.transpose(0, 1))
        flat = states.reshape(x.shape[0], -1)  # finding: batch-mixing
        return self.out(flat)


torch.manual_seed(0)
net = Net(5)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(12, 5, 3), torch.randn(12, 1)
for step in range(4):
    loss = (net(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
