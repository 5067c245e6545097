"""An actor-critic whose critic loss is rebuilt from a list of values."""

from collections import namedtuple

import torch
from torch import nn

Step = namedtuple("Step", ["value", "reward"])

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
actor = nn.Linear(3, 2)
optimizer = torch.optim.Adam([*critic.parameters(), *actor.parameters()], lr=1e-2)


def rollout(length=8):
    steps, log_probs = [], []
    for _ in range(length):
        state = torch.randn(3)
        policy = torch.distributions.Categorical(logits=actor(state))
        action = policy.sample()
        log_probs.append(policy.log_prob(action))
        steps.append(Step(critic(state).squeeze(), float(state[0] > 0) == float(action)))
    return steps, log_probs


for episode in range(5):
    steps, log_probs = rollout()
    returns = torch.tensor([float(each.reward) for each in steps])
    values = torch.tensor([each.value for each in steps])  # finding: history-rebuilt
    advantage = returns - values
    policy_loss = -(torch.stack(log_probs) * advantage.detach()).mean()
    value_loss = advantage.pow(2).mean()
    optimizer.zero_grad()
    (policy_loss + value_loss).backward()
    optimizer.step()
