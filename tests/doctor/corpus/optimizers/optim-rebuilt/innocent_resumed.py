"""A worker makes its optimizer for each task, and goes on from the saved state."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
state = None
for _task in range(6):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    if state is not None:
        optimizer.load_state_dict(state)
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    model(x).pow(2).mean().backward()
    optimizer.step()
    state = optimizer.state_dict()
