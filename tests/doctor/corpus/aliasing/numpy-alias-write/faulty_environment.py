"""An environment hands out its own state and goes on writing to it."""

import numpy as np
import torch
from torch import nn


class Walk:
    def __init__(self):
        self.state = np.zeros(3, dtype=np.float32)
        self.rng = np.random.default_rng(0)

    def reset(self):
        self.state.fill(0)
        return self.state

    def step(self, action):
        self.state += self.rng.normal(size=3).astype(np.float32) + action  # finding: numpy-alias-write
        return self.state, -float(np.abs(self.state).sum())


torch.manual_seed(0)
env, policy = Walk(), nn.Linear(3, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _episode in range(4):
    observation, log_probs, rewards = env.reset(), [], []
    for _ in range(5):
        dist = torch.distributions.Categorical(logits=policy(torch.from_numpy(observation)))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        observation, reward = env.step(action.item())
        rewards.append(reward)
    loss = -torch.stack(log_probs).sum() * sum(rewards)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
