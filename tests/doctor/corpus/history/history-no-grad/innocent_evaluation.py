"""Evaluation, a momentum teacher and a frozen encoder compute under no_grad; what is trained does not."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
backbone, head = nn.Linear(6, 8), nn.Linear(8, 4)
student = nn.Linear(8, 4)
teacher = copy.deepcopy(student)
optimizer = torch.optim.Adam([*head.parameters(), *student.parameters()])
x, y = torch.randn(16, 6), torch.randint(4, (16,))
for step in range(6):
    with torch.no_grad():
        h = torch.relu(backbone(x))
        target = F.normalize(teacher(h), dim=1)
    similarity = (F.normalize(student(h), dim=1) * target).sum(1).mean()
    loss = F.cross_entropy(head(h), y) - similarity
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(teacher.parameters(), student.parameters()):
            slow.mul_(0.99).add_(fast, alpha=0.01)
        print((head(h).argmax(1) == y).float().mean().item())
