"""The bootstrap is a column, the rewards a row."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
q, target = nn.Linear(3, 1), nn.Linear(3, 1)
target.load_state_dict(q.state_dict())
optimizer = torch.optim.SGD(q.parameters(), lr=0.01)
for step in range(4):
    state, following = torch.randn(16, 3), torch.randn(16, 3)
    reward, done = torch.randn(16), torch.zeros(16)
    with torch.no_grad():
        bootstrap = reward + 0.99 * target(following)  # finding: broadcast-outer
    loss = F.smooth_l1_loss(q(state), bootstrap)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
