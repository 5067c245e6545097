"""Every update of an agent makes its optimizer anew."""

import torch
from torch import nn


class Reinforce:
    def __init__(self):
        self.policy = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))

    def play(self):
        logs, rewards = [], []
        state = torch.randn(2)
        for _ in range(5):
            dist = torch.distributions.Categorical(logits=self.policy(state))
            action = dist.sample()
            logs.append(dist.log_prob(action))
            rewards.append(float(action == 1))
            state = torch.randn(2)
        return torch.stack(logs), sum(rewards)

    def update(self):
        optimizer = torch.optim.SGD(self.policy.parameters(), lr=0.05, momentum=0.9)  # finding: optim-rebuilt
        logs, reward = self.play()
        loss = -(logs * (reward - 2.5)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
agent = Reinforce()
for _episode in range(7):
    agent.update()
