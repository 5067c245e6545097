"""Returns are a row, the critic's values a column: every advantage is that of all steps."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
for episode in range(4):
    states = torch.randn(12, 4)
    policy = Categorical(logits=actor(states))
    actions = policy.sample()
    rewards, returns, total = torch.rand(12), [], 0.0
    for reward in reversed(rewards.tolist()):
        total = reward + 0.9 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    values = critic(states)
    advantages = returns - values  # finding: broadcast-outer
    actor_loss = -(policy.log_prob(actions) * advantages.detach()).mean()
    loss = actor_loss + advantages.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
