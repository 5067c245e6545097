"""The teacher's softmax is a target; log_softmax before cross_entropy changes nothing; attention is inside."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
teacher, student = nn.Linear(6, 4), nn.Linear(6, 4)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
x, y = torch.randn(24, 6), torch.randint(4, (24,))
for step in range(5):
    with torch.no_grad():
        soft = torch.softmax(teacher(x) / 2, dim=1)
    weights = torch.softmax(student(x), dim=1)
    logits = student(x) * weights
    loss = F.cross_entropy(student(x), soft) + F.cross_entropy(F.log_softmax(student(x), dim=1), y)
    loss = loss + F.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
