"""Two networks, two optimizers; the critic's is never stepped."""

import torch
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)  # finding: optim-never-stepped
for _episode in range(6):
    states, returns = torch.randn(10, 3), torch.randn(10)
    policy = torch.distributions.Categorical(logits=actor(states))
    actions = policy.sample()
    values = critic(states).squeeze(1)
    actor_loss = -(policy.log_prob(actions) * (returns - values).detach()).mean()
    critic_loss = (returns - values).pow(2).mean()
    actor_optimizer.zero_grad()
    critic_optimizer.zero_grad()
    actor_loss.backward()
    critic_loss.backward()
    actor_optimizer.step()
