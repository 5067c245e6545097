"""Sometimes there is one candidate to choose from, usually more; attention over one element is what it is."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
scorer = nn.Linear(4, 1)
optimizer = torch.optim.SGD(scorer.parameters(), lr=0.1)
for step in range(8):
    count = [3, 1, 1, 4, 1, 2, 1, 1][step]
    candidates = torch.randn(1, count, 4)
    scores = scorer(candidates).squeeze(-1)
    pooled = (torch.softmax(scores, dim=1)[..., None] * candidates).sum(1)
    loss = F.cross_entropy(scores, torch.zeros(1, dtype=torch.long)) + pooled.pow(2).mean() * 0.1
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
