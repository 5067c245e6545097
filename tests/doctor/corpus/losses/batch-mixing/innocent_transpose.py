"""transpose where dimensions change places, and view where they only split."""

import torch
from torch import nn

torch.manual_seed(0)
rnn, out = nn.GRU(4, 8), nn.Linear(40, 2)
conv = nn.Conv2d(1, 2, 3)
head = nn.Linear(32, 2)
optimizer = torch.optim.SGD([*rnn.parameters(), *out.parameters(), *conv.parameters(), *head.parameters()], lr=0.1)
x, images, y = torch.randn(12, 5, 4), torch.randn(12, 1, 6, 6), torch.randint(2, (12,))
for step in range(4):
    states, _ = rnn(x.transpose(0, 1))
    logits = out(states.transpose(0, 1).reshape(12, -1))
    pixels = torch.relu(conv(images)).view(12, -1)
    patches = images.view(12, 2, 3, 2, 3).permute(0, 1, 3, 2, 4).reshape(12, 4, 9)
    loss = nn.functional.cross_entropy(logits + head(pixels) + patches.mean((1, 2))[:, None], y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
