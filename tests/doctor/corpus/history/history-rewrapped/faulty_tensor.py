"""The list of predictions becomes a new leaf: backward runs, and the critic stays as it is."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
for iteration in range(4):
    observations = torch.randn(6, 4)
    predicted = [critic(each).squeeze() for each in observations]
    targets = torch.randn(6)
    td_error = F.mse_loss(torch.tensor(predicted, requires_grad=True), targets)  # finding: history-rewrapped
    optimizer.zero_grad()
    td_error.backward()
    optimizer.step()
