"""A policy's probabilities are given as logits."""

import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, state):
        probabilities = torch.softmax(self.fc(state), dim=-1)  # finding: loss-expects-logits
        return Categorical(logits=probabilities)


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(4):
    losses = []
    for step in range(5):
        choice = policy(torch.randn(4))
        action = choice.sample()
        losses.append(-choice.log_prob(action) * (1.0 if action.item() == 1 else -0.5))
    loss = torch.stack(losses).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
