"""Actor and critic have a network each, and one backward trains both by the sum of their losses."""

import torch
import torch.nn as nn
from torch.distributions import Normal


class Corridor:
    def reset(self):
        self.position, self.time = torch.zeros(1), 0
        return self.position

    def step(self, action):
        self.position = (self.position + 0.1 * action).clamp(-1, 1)
        self.time += 1
        return self.position, float(self.position.item()), self.time >= 6


class Agent:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
        self.critic = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def update(self, log_probs, values, rewards):
        returns, total = [], 0.0
        for reward in reversed(rewards):
            total = reward + 0.99 * total
            returns.insert(0, total)
        losses = []
        for log_prob, value, ret in zip(log_probs, values, returns):
            td_error = ret - value
            losses.append(-log_prob * td_error)  # finding: rl-advantage-not-detached
            losses.append(td_error.pow(2))
        loss = torch.stack(losses).sum()
        self.actor_optimizer.zero_grad()
        self.critic_optimizer.zero_grad()
        loss.backward()
        self.actor_optimizer.step()
        self.critic_optimizer.step()


torch.manual_seed(0)
env, agent = Corridor(), Agent()
for _episode in range(4):
    state, done = env.reset(), False
    log_probs, values, rewards = [], [], []
    while not done:
        dist = Normal(agent.actor(state), 0.5)
        action = dist.sample()
        values.append(agent.critic(state).squeeze())
        log_probs.append(dist.log_prob(action).squeeze())
        state, reward, done = env.step(action)
        rewards.append(reward)
    agent.update(log_probs, values, rewards)
