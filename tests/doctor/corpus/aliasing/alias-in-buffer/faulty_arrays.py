"""A replay buffer keeps the environment's own array, again and again."""

import random
from collections import deque

import numpy as np
import torch
from torch import nn


class Env:
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.position = np.zeros(2, dtype=np.float32)

    def reset(self):
        self.position[:] = 0
        return self.position

    def step(self, action):
        self.position += (action - 0.5) * 0.1 + 0.05 * self.rng.normal(size=2)
        return self.position, -float(np.abs(self.position).sum())


random.seed(0)
torch.manual_seed(0)
env, q = Env(), nn.Linear(2, 2)
optimizer = torch.optim.SGD(q.parameters(), lr=0.05)
replay = deque(maxlen=200)
obs = env.reset()
for step in range(40):
    with torch.no_grad():
        action = q(torch.tensor(obs)).argmax().item()
    obs, reward = env.step(action)
    replay.append((obs, action, reward))  # finding: alias-in-buffer
    if len(replay) >= 16:
        states, actions, rewards = zip(*random.sample(replay, 10))
        states = torch.tensor(np.array(states))
        values = q(states).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
        loss = nn.functional.mse_loss(values, torch.tensor(rewards))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
