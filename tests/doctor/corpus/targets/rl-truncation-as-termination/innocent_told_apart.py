"""done only starts the environment anew; the memory keeps terminated."""

import random

import torch
import torch.nn.functional as F
from torch import nn


class Walk:
    def reset(self):
        self.time = 0
        return [0.0, 0.0], {}

    def step(self, action):
        self.time += 1
        return [random.random(), self.time / 10], 1.0, random.random() < 0.1, self.time >= 10, {}


random.seed(0)
torch.manual_seed(0)
env, memory = Walk(), []
net, target_net = nn.Linear(2, 2), nn.Linear(2, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
state, _ = env.reset()
for step in range(24):
    action = random.randrange(2)
    next_state, reward, terminated, truncated, _ = env.step(action)
    memory.append((state, action, reward, next_state, terminated))
    done = terminated or truncated
    state = next_state
    if done:
        state, _ = env.reset()
    if step >= 8:
        states, actions, rewards, next_states, ends = zip(*random.sample(memory, 4))
        with torch.no_grad():
            after = target_net(torch.tensor(next_states)).max(1)[0]
            target = torch.tensor(rewards) + 0.99 * after * (1 - torch.tensor(ends).float())
        q = net(torch.tensor(states)).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
        loss = F.mse_loss(q, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
