"""A soft actor-critic whose actor draws without a gradient, beside a rollout that rightly does."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)


def policy(states):
    mean, log_std = actor(states).chunk(2, dim=-1)
    return Normal(mean, log_std.clamp(-5, 2).exp())


memory = []
for step in range(6):
    states = torch.randn(8, 3)
    with torch.no_grad():
        actions = policy(states).sample()
    rewards = -(actions - states[:, :1]).pow(2).squeeze(1)
    memory.append((states, actions, rewards))
    states, actions, rewards = memory[step // 2]
    value = critic(torch.cat([states, actions], dim=1)).squeeze(1)
    critic_loss = F.mse_loss(value, rewards)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    fresh = policy(states).sample()  # finding: history-sample
    actor_loss = -critic(torch.cat([states, fresh], dim=1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
