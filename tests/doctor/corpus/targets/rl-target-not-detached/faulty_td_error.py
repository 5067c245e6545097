"""TD(0) one step at a time: the temporal difference lets gradients through both of its values."""

import random

import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(size, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x):
        return self.layers(torch.as_tensor(x, dtype=torch.float32))


def random_walk():
    state = [0.0, 0.0]
    for _ in range(8):
        after = [state[0] + random.choice([-1.0, 1.0]), state[0]]
        yield state, after[0], after
        state = after


random.seed(0)
torch.manual_seed(0)
critic = Critic(2)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.01)
for state, reward, after in random_walk():
    delta = reward + 0.9 * critic(after) - critic(state)  # finding: rl-target-not-detached
    loss = delta.pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
