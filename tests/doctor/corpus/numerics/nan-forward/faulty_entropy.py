"""The entropy of a policy is taken with the logarithm of a softmax that reaches zero."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
states = torch.randn(32, 4) * 5
for step in range(8):
    probabilities = torch.softmax(policy(states) * 500, dim=-1)
    entropy = -(probabilities * torch.log(probabilities)).sum(-1).mean()  # finding: nan-forward
    loss = -entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
