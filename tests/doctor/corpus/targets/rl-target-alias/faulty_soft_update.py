"""A soft update of a network by itself, in a class."""

import torch
from torch import nn


class DDPG:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
        self.critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.critic_target = self.critic  # finding: rl-target-alias
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-4)

    def update(self, state, action, reward, following):
        with torch.no_grad():
            after = torch.cat([following, self.actor(following)], 1)
            wanted = reward + 0.99 * self.critic_target(after)
        loss = nn.functional.mse_loss(self.critic(torch.cat([state, action], 1)), wanted)
        self.critic_optimizer.zero_grad()
        loss.backward()
        self.critic_optimizer.step()

        loss = -self.critic(torch.cat([state, self.actor(state)], 1)).mean()
        self.actor_optimizer.zero_grad()
        loss.backward()
        self.actor_optimizer.step()
        soft_update(self.critic_target, self.critic, 0.005)


def soft_update(target, source, tau):
    for target_param, param in zip(target.parameters(), source.parameters()):
        target_param.data.copy_(tau * param.data + (1.0 - tau) * target_param.data)


torch.manual_seed(0)
agent = DDPG()
for _ in range(5):
    agent.update(torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1), torch.randn(8, 3))
