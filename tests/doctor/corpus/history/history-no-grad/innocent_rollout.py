"""Old log-probabilities and values are computed under no_grad while acting; the update computes them anew."""

import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 16)
        self.pi, self.v = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


torch.manual_seed(0)
model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for update in range(3):
    states = torch.randn(16, 3)
    with torch.no_grad():
        old, value = model(states)
        action = old.sample()
        before = old.log_prob(action)
        returns = (action == (states[:, 0] > 0)).float()
        advantage = returns - value
    for epoch in range(2):
        now, value = model(states)
        ratio = (now.log_prob(action) - before).exp()
        clipped = ratio.clamp(0.8, 1.2)
        loss = -torch.min(ratio * advantage, clipped * advantage).mean() + (returns - value).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
