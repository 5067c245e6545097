"""argmax for the accuracy, max pooling by values, hard negatives by index, a mask of padding."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
embed, score = nn.Embedding(15, 6, padding_idx=0), nn.Linear(6, 3)
optimizer = torch.optim.Adam([*embed.parameters(), *score.parameters()])
for step in range(5):
    tokens = torch.randint(0, 15, (8, 5))
    label = torch.randint(3, (8,))
    mask = (tokens != 0).float().unsqueeze(-1)
    pooled = (embed(tokens) * mask).sum(1) / mask.sum(1).clamp(min=1)
    logits = score(pooled)
    each = F.cross_entropy(logits, label, reduction="none")
    hardest = each.topk(4).indices
    loss = each[hardest].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    accuracy = (logits.argmax(1) == label).float().mean()
    rounded = (logits.softmax(1) * 100).round() / 100
    print(accuracy.item(), rounded[0].tolist())
