"""Actions from a replay memory are scored; with the scale of the environment they lie on its bound."""

import torch
from torch import nn
from torch.distributions import AffineTransform, Independent, Normal, TanhTransform, TransformedDistribution


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, state):
        mean, log_std = self.net(state).chunk(2, dim=-1)
        base = Normal(mean, log_std.exp())
        return Independent(TransformedDistribution(base, [TanhTransform(), AffineTransform(0.0, 2.0)]), 1)


torch.manual_seed(0)
actor = Actor()
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
memory = [(torch.randn(3), torch.tensor([2.0 if i % 4 == 0 else 0.3])) for i in range(16)]
for step in range(4):
    states, actions = (torch.stack(each) for each in zip(*memory))
    loss = -actor(states).log_prob(actions).mean()  # finding: transform-inverse
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
