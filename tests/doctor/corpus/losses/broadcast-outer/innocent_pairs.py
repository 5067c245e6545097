"""All pairs are wanted: distances, a ranking loss, a kernel, and labels compared with themselves."""

import torch
from torch import nn

torch.manual_seed(0)
score = nn.Linear(4, 1)
centres = torch.linspace(-2, 2, 16)
weights = torch.zeros(16, requires_grad=True)
optimizer = torch.optim.SGD([*score.parameters(), weights], lr=0.01)
labels = torch.randint(3, (16,))
for step in range(5):
    s = score(torch.randn(16, 4)).squeeze(1)
    t = score(torch.randn(16, 4)).squeeze(1)
    ranking = torch.relu(1 - (s[:, None] - t)).mean()
    kernel = torch.exp(-((s.unsqueeze(1) - t) ** 2)).mean()
    column = s.view(-1, 1)
    spread = (column - s).abs().mean()
    features = torch.exp(-((column - centres) ** 2))
    fitted = ((features @ weights - t.detach()) ** 2).mean()
    same = labels.view(-1, 1) == labels
    contrast = (same.float() * torch.outer(s, t)).mean()
    loss = ranking + kernel + spread + fitted + contrast
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
