"""Sequences of a loader are (N, T, F); the LSTM wants (T, N, F)."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 8)  # finding: rnn-batch-first
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        states, _ = self.lstm(x)
        return self.out(states[:, -1])


torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(40, 7, 4), torch.randint(3, (40,))), batch_size=10)
net = Classifier()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for x, y in loader:
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
