"""The gradient norm is clipped after the step."""

import torch
from torch import nn

torch.manual_seed(0)
rnn, head = nn.GRU(3, 5, batch_first=True), nn.Linear(5, 1)
parameters = [*rnn.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-2)
for _step in range(6):
    x = torch.randn(4, 7, 3)
    out, _ = rnn(x)
    loss = (head(out[:, -1]) - x.sum((1, 2))[:, None]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)  # finding: clip-ineffective
