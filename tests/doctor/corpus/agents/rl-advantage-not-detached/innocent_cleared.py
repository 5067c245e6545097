"""The critic's optimizer clears what the policy's loss left in the critic, before the critic's own loss."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(6):
    state = torch.randn(20, 3)
    dist = Categorical(logits=actor(state))
    action = dist.sample()
    reward = action.float() * state[:, 0]
    actor_loss = -(dist.log_prob(action) * (reward - critic(state).squeeze(-1))).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()

    critic_optimizer.zero_grad()
    F.mse_loss(critic(state).squeeze(-1), reward).backward()
    critic_optimizer.step()
