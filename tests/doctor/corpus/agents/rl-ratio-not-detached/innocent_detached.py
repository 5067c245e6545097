"""Old log-probabilities without history: detached, under no_grad, from an older copy, or the ratio to oneself."""

import copy

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 3)
older = copy.deepcopy(policy)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for step in range(8):
    states = torch.randn(10, 4)
    dist = Categorical(logits=policy(states))
    actions = dist.sample()
    new = dist.log_prob(actions)
    if step % 4 == 0:
        old = dist.log_prob(actions).detach()
    elif step % 4 == 1:
        with torch.no_grad():
            old = Categorical(logits=policy(states)).log_prob(actions)
    elif step % 4 == 2:
        old = Categorical(logits=older(states)).log_prob(actions)
    else:
        old = new.detach()
    ratio = torch.exp(new - old)
    advantage = (actions == 0).float() - 1 / 3
    loss = -(ratio * advantage).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
