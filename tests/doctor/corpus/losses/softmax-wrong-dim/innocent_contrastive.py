"""Both directions of a contrastive loss, a single state, and classes in the last dimension."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
image, text = nn.Linear(6, 4), nn.Linear(5, 4)
policy = nn.Linear(6, 3)
optimizer = torch.optim.SGD([*image.parameters(), *text.parameters(), *policy.parameters()], lr=0.1)
for step in range(4):
    a, b = F.normalize(image(torch.randn(8, 6)), dim=1), F.normalize(text(torch.randn(8, 5)), dim=1)
    similar = a @ b.t()
    labels = torch.arange(8)
    loss = F.cross_entropy(similar, labels) + F.cross_entropy(similar.t(), labels)
    choice = torch.softmax(policy(torch.randn(6)), dim=0)
    rows = torch.softmax(policy(torch.randn(8, 6)), dim=-1)
    loss = loss - choice.log()[0] * 0.1 - rows.log().mean() * 0.1
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
