"""REINFORCE has no bootstrap: an end is an end."""

import torch
from torch import nn
from torch.distributions import Categorical


class Coin:
    def reset(self):
        self.count = 0
        return torch.zeros(2), {}

    def step(self, action):
        self.count += 1
        return torch.rand(2), float(action), False, self.count == 6, {}


torch.manual_seed(0)
env, policy = Coin(), nn.Linear(2, 2)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
for _episode in range(4):
    state, _ = env.reset()
    done, log_probs, rewards = False, [], []
    while not done:
        dist = Categorical(logits=policy(state))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        state, reward, terminated, truncated, _ = env.step(action.item())
        rewards.append(reward)
        done = terminated or truncated
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    loss = -(torch.stack(log_probs) * (returns - returns.mean())).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
