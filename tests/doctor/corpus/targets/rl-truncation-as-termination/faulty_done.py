"""The time limit of the environment counts as the end in the bootstrap."""

import random
from collections import deque

import torch
import torch.nn.functional as F
from torch import nn


class Walk:
    """Never ends by itself; after ten steps the time is up."""

    def reset(self):
        self.time = 0
        return [0.0, 0.0], {}

    def step(self, action):
        self.time += 1
        return [random.random(), self.time / 10], 1.0, False, self.time >= 10, {}


random.seed(0)
torch.manual_seed(0)
env, memory = Walk(), deque(maxlen=100)
q_net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
target_net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
target_net.load_state_dict(q_net.state_dict())
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
state, _ = env.reset()
for step in range(40):
    action = random.randrange(2)
    next_state, reward, terminated, truncated, _ = env.step(action)
    done = terminated or truncated  # finding: rl-truncation-as-termination
    memory.append((state, action, reward, next_state, done))
    state = env.reset()[0] if done else next_state
    if len(memory) >= 16:
        states, actions, rewards, next_states, dones = zip(*random.sample(memory, 8))
        q = q_net(torch.tensor(states)).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
        with torch.no_grad():
            next_q = target_net(torch.tensor(next_states)).max(1)[0]
            target = torch.tensor(rewards) + 0.99 * next_q * (1 - torch.tensor(dones).float())
        loss = F.mse_loss(q, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
