"""The teacher is in evaluation mode for good; only the student learns."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 3))
student = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
x, y = torch.randn(48, 5), torch.randint(3, (48,))
optimizer = torch.optim.Adam(teacher.parameters())
for _ in range(5):
    optimizer.zero_grad()
    F.cross_entropy(teacher(x), y).backward()
    optimizer.step()

teacher.eval()
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
for _ in range(8):
    with torch.no_grad():
        wanted = teacher(x).softmax(1)
    loss = F.kl_div(F.log_softmax(student(x), 1), wanted, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
