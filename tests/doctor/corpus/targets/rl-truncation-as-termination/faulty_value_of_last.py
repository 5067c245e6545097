"""An actor-critic that takes the value after a time limit for zero."""

import random

import torch
from torch import nn
from torch.distributions import Categorical


class Bandit:
    def reset(self):
        self.left = 5
        return torch.rand(3), {}

    def step(self, action):
        self.left -= 1
        reward = float(action == 1)
        return torch.rand(3), reward, random.random() < 0.05, self.left == 0, {}


def play(env, actor, critic, gamma=0.9):
    observation, _ = env.reset()
    log_probs, values, rewards = [], [], []
    over = False
    while not over:
        policy = Categorical(logits=actor(observation))
        action = policy.sample()
        log_probs.append(policy.log_prob(action))
        values.append(critic(observation).squeeze())
        observation, reward, terminated, truncated, _ = env.step(action.item())
        over = terminated | truncated  # finding: rl-truncation-as-termination
        rewards.append(reward)
    following = 0.0 if over else critic(observation).item()
    returns = []
    for reward in reversed(rewards):
        following = reward + gamma * following
        returns.insert(0, following)
    return torch.stack(log_probs), torch.stack(values), torch.tensor(returns)


random.seed(0)
torch.manual_seed(0)
actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
for _ in range(5):
    log_probs, values, returns = play(Bandit(), actor, critic)
    advantages = returns - values
    loss = -(log_probs * advantages.detach()).mean() + advantages.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
