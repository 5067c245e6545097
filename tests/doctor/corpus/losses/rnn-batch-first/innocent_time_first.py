"""Time first, as the layer wants it: a language model, and a classifier of the last state."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
embed, rnn, out = nn.Embedding(11, 6), nn.LSTM(6, 8), nn.Linear(8, 11)
optimizer = torch.optim.Adam([*embed.parameters(), *rnn.parameters(), *out.parameters()], lr=1e-2)
tokens = torch.randint(11, (9, 4))
labels = torch.randint(11, (4,))
values = torch.randn(9, 4, 1)
for step in range(4):
    states, (last, _) = rnn(embed(tokens))
    loss = F.cross_entropy(out(states).view(-1, 11), tokens.view(-1))
    loss = loss + F.cross_entropy(out(states[-1]), labels) + F.cross_entropy(out(last[-1]), labels)
    loss = loss + F.mse_loss(out(states)[..., :1], values)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
