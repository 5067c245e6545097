"""agent.parameters() includes the target network."""

import copy

import torch
import torch.nn.functional as F
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.target = copy.deepcopy(self.online)

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())


torch.manual_seed(0)
agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)  # finding: rl-target-in-optimizer
for step in range(9):
    state, following = torch.randn(16, 4), torch.randn(16, 4)
    action, reward = torch.randint(2, (16, 1)), torch.randn(16, 1)
    wanted = reward + 0.9 * agent.target(following).max(1, keepdim=True)[0]
    loss = F.mse_loss(agent.online(state).gather(1, action), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        agent.sync()
