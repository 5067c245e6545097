"""The advantage of an actor-critic keeps its history, so the policy's loss moves the critic too."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
        self.policy = nn.Linear(32, 2)
        self.value = nn.Linear(32, 1)

    def forward(self, observation):
        hidden = self.body(observation)
        return Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


torch.manual_seed(0)
model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _update in range(5):
    observations = torch.randn(16, 4)
    dist, values = model(observations)
    actions = dist.sample()
    returns = (actions == (observations[:, 0] > 0)).float()
    advantage = returns - values
    policy_loss = -(dist.log_prob(actions) * advantage).mean()  # finding: rl-advantage-not-detached
    value_loss = F.mse_loss(values, returns)
    loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
