"""Soft actor-critic with a learned temperature: the temperature has a history, and no value of a network."""

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Linear(3, 2)
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
log_alpha = nn.Parameter(torch.zeros(()))
optimizer = torch.optim.Adam([*actor.parameters(), log_alpha], lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(5):
    state = torch.randn(16, 3)
    mean, log_std = actor(state).chunk(2, -1)
    dist = Normal(mean, log_std.clamp(-5, 2).exp())
    u = dist.rsample()
    action = torch.tanh(u)
    log_prob = dist.log_prob(u) - torch.log(1 - action.pow(2) + 1e-6)
    alpha = log_alpha.exp()
    value = critic(torch.cat([state, action], -1))
    actor_loss = (alpha.detach() * log_prob - value).mean()
    alpha_loss = -(alpha * (log_prob.detach() - 1.0)).mean()
    optimizer.zero_grad()
    (actor_loss + alpha_loss).backward()
    optimizer.step()

    reward = -action.detach().pow(2)
    critic_optimizer.zero_grad()
    prediction = critic(torch.cat([state, action.detach()], -1))
    (prediction - reward).pow(2).mean().backward()
    critic_optimizer.step()
