"""The spread of a Gaussian policy is a zeros tensor; the policy class hands its parameters to Adam."""

import torch
from torch import nn
from torch.distributions import Normal


class GaussianPolicy(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(observations, 16), nn.Tanh(), nn.Linear(16, actions))
        self.log_std = torch.zeros(actions).requires_grad_()  # finding: param-plain-tensor

    def forward(self, observation):
        return Normal(self.mean(observation), self.log_std.exp())


torch.manual_seed(0)
policy = GaussianPolicy(3, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
for iteration in range(4):
    observation = torch.randn(20, 3)
    choice = policy(observation)
    action = choice.sample()
    reward = -(action - observation[:, :2]).pow(2).sum(1)
    loss = -(choice.log_prob(action).sum(1) * (reward - reward.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
