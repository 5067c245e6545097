"""Truncated backpropagation through time: the state is detached between windows."""

import torch
from torch import nn

torch.manual_seed(0)
rnn, readout = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 3)
start = nn.Parameter(torch.zeros(1, 4, 8))
optimizer = torch.optim.Adam([*rnn.parameters(), *readout.parameters(), start])
series = torch.randn(4, 30, 3)
state = (start, torch.zeros(1, 4, 8))
for begin in range(0, 25, 5):
    window, following = series[:, begin : begin + 5], series[:, begin + 1 : begin + 6]
    out, state = rnn(window, state)
    loss = (readout(out) - following).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    state = tuple(each.detach() for each in state)
