"""Actor and critic share one loss, but only the actor is handed to the optimizer."""

import torch
from torch import nn
from torch.distributions import Categorical


class Agent:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
        self.critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
        self.optimizer = torch.optim.Adam(self.actor.parameters(), lr=3e-3)  # finding: optim-missing-param

    def update(self, states, returns):
        policy = Categorical(logits=self.actor(states))
        actions = policy.sample()
        values = self.critic(states).squeeze(-1)
        advantages = returns - values.detach()
        loss = -(policy.log_prob(actions) * advantages).mean() + 0.5 * (returns - values).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


def main():
    torch.manual_seed(1)
    agent = Agent()
    for _episode in range(8):
        agent.update(torch.randn(20, 3), torch.randn(20))


main()
