"""Raw outputs of a network are no probabilities: some are negative, and Categorical refuses them."""

import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))

    def forward(self, x):
        return Categorical(self.net(x))  # finding: dist-probs-unnormalised


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _ in range(4):
    dist = policy(torch.randn(8, 4))
    action = dist.sample()
    loss = -dist.log_prob(action).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
