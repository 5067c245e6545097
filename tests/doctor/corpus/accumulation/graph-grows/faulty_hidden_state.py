"""The hidden state is carried from window to window with its graph."""

import torch
from torch import nn

torch.manual_seed(0)
rnn, head = nn.GRU(1, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-2)
series = torch.sin(torch.linspace(0, 20, 101)).reshape(1, -1, 1)
hidden = None
for start in range(0, 100, 20):
    x, y = series[:, start : start + 20], series[:, start + 1 : start + 21]
    out, hidden = rnn(x, hidden)  # finding: graph-grows
    loss = nn.functional.mse_loss(head(out), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
