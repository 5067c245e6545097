"""Truncated backpropagation through time: the state goes on, its graph does not."""

import torch
from torch import nn

torch.manual_seed(0)
rnn, head = nn.LSTM(1, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-2)
series = torch.sin(torch.linspace(0, 20, 121)).reshape(-1, 1, 1)
state = None
for start in range(0, 120, 20):
    if state is not None:
        state = tuple(each.detach() for each in state)
    out, state = rnn(series[start : start + 20], state)
    loss = nn.functional.mse_loss(head(out), series[start + 1 : start + 21])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
