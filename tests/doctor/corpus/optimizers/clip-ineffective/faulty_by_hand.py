"""Each gradient is clamped by hand, in the old way, after the step."""

import torch
from torch import nn

torch.manual_seed(0)
q = nn.Linear(4, 2)
optimizer = torch.optim.RMSprop(q.parameters(), lr=1e-3)
for _step in range(6):
    state, action, target = torch.randn(16, 4), torch.randint(2, (16, 1)), torch.randn(16, 1)
    loss = nn.functional.smooth_l1_loss(q(state).gather(1, action), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for param in q.parameters():
        param.grad.data.clamp_(-1, 1)  # finding: clip-ineffective
