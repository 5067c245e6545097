"""Of two optimizers only one is cleared."""

import torch
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _update in range(8):
    states, returns = torch.randn(12, 3), torch.randn(12)
    dist = torch.distributions.Categorical(logits=actor(states))
    action = dist.sample()
    values = critic(states).squeeze(-1)
    actor_loss = -(dist.log_prob(action) * (returns - values).detach()).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
    critic_loss = nn.functional.mse_loss(values, returns)
    critic_loss.backward()  # finding: zero-grad-missing
    critic_opt.step()
