"""An environment's observation is float64; it goes through some arithmetic before the network refuses it."""

import numpy as np
import torch
from torch import nn


class Environment:
    def reset(self):
        return np.zeros(3)

    def step(self, action):
        return np.random.default_rng(action).normal(size=3), 1.0, False


class Agent:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))

    def act(self, observation):
        state = torch.as_tensor(observation)  # finding: dtype-float64
        state = (state - 0.5).unsqueeze(0) * 2
        return self.net(state).argmax(1).item()


environment, agent = Environment(), Agent()
observation = environment.reset()
for step in range(5):
    observation, reward, done = environment.step(agent.act(observation))
