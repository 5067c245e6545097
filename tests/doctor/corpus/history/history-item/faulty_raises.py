"""Rewards weigh log-probabilities that were stored as numbers; the loss is a leaf without history."""

import torch
from torch import nn


class Agent:
    def __init__(self):
        self.policy = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-2)
        self.saved = []

    def act(self, state):
        choice = torch.distributions.Categorical(logits=self.policy(state))
        action = choice.sample()
        self.saved.append(choice.log_prob(action).item())  # finding: history-item
        return int(action)

    def learn(self, rewards):
        loss = -(torch.tensor(self.saved) * torch.tensor(rewards)).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.saved.clear()


torch.manual_seed(0)
agent = Agent()
for episode in range(3):
    rewards = []
    for _ in range(5):
        state = torch.randn(4)
        rewards.append(1.0 if agent.act(state) == int(state[0] > 0) else -1.0)
    agent.learn(rewards)
