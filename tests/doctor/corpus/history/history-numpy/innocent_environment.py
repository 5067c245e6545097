"""Actions leave as arrays for the environment, observations come back: the policy learns from log_prob."""

import numpy as np
import torch
from torch import nn


class Point:
    def reset(self):
        self.at = np.zeros(2, dtype=np.float32)
        return self.at.copy()

    def step(self, action):
        self.at = np.clip(self.at + 0.1 * action, -1, 1).astype(np.float32)
        return self.at.copy(), -float(np.abs(self.at - 0.5).sum())


torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
log_std = nn.Parameter(torch.zeros(2))
optimizer = torch.optim.Adam([*policy.parameters(), log_std], lr=1e-2)
env = Point()
for episode in range(5):
    observation, log_probs, rewards = env.reset(), [], []
    for _ in range(6):
        normal = torch.distributions.Normal(policy(torch.from_numpy(observation)), log_std.exp())
        action = normal.sample()
        log_probs.append(normal.log_prob(action).sum())
        observation, reward = env.step(action.numpy())
        rewards.append(reward)
    returns = torch.tensor(np.cumsum(rewards[::-1])[::-1].copy(), dtype=torch.float32)
    loss = -(torch.stack(log_probs) * (returns - returns.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
