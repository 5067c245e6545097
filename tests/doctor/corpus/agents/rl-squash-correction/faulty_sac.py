"""The action is squashed by tanh, and its log-probability is that of the Gaussian."""

import torch
from torch import nn
from torch.distributions import Normal


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 16), nn.ReLU())
        self.mean, self.log_std = nn.Linear(16, 2), nn.Linear(16, 2)

    def sample(self, state):
        hidden = self.body(state)
        dist = Normal(self.mean(hidden), self.log_std(hidden).clamp(-4, 1).exp())
        u = dist.rsample()
        action = torch.tanh(u)
        log_prob = dist.log_prob(u).sum(-1, keepdim=True)  # finding: rl-squash-correction
        return action, log_prob


torch.manual_seed(0)
actor = Actor()
critic = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)).requires_grad_(False)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
for _ in range(4):
    state = torch.randn(16, 3)
    action, log_prob = actor.sample(state)
    loss = (0.2 * log_prob - critic(torch.cat([state, action], -1))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
