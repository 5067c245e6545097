"""n-step returns that begin with the critic's value of the last state, with its history."""

import torch
import torch.nn as nn

torch.manual_seed(0)
value = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.RMSprop(value.parameters(), lr=1e-3)
for _ in range(5):
    states, rewards = torch.randn(6, 3), torch.randn(5)
    values = [value(state) for state in states[:-1]]
    running, returns = value(states[-1]), []
    for reward in reversed(rewards.tolist()):
        running = reward + 0.95 * running  # finding: rl-target-not-detached
        returns.insert(0, running)
    advantages = torch.cat(returns) - torch.cat(values)
    loss = 0.5 * advantages.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
