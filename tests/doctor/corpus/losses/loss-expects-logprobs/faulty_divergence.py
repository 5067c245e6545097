"""kl_div of two softmaxes."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
student, teacher = nn.Linear(5, 3), nn.Linear(5, 3)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
x = torch.randn(20, 5)
for step in range(5):
    with torch.no_grad():
        wanted = F.softmax(teacher(x), dim=-1)
    guess = F.softmax(student(x), dim=-1)  # finding: loss-expects-logprobs
    loss = F.kl_div(guess, wanted, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
