"""sample() is right where log_prob carries the gradient."""

import torch
from torch import nn
from torch.distributions import Categorical, Normal

torch.manual_seed(0)
discrete, continuous = nn.Linear(4, 3), nn.Linear(4, 1)
log_std = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam([*discrete.parameters(), *continuous.parameters(), log_std], lr=1e-2)
for step in range(5):
    states = torch.randn(10, 4)
    choice, move = Categorical(logits=discrete(states)), Normal(continuous(states), log_std.exp())
    picked, moved = choice.sample(), move.sample()
    reward = (picked == 0).float() - moved.squeeze(1).abs()
    log_prob = choice.log_prob(picked) + move.log_prob(moved).squeeze(1)
    loss = -(log_prob * (reward - reward.mean())).mean() - 0.01 * choice.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
