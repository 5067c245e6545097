"""PPO scores the stored actions again; evaluation draws others."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _iteration in range(3):
    states, actions, rewards, old = [], [], [], []
    for _ in range(8):
        state = torch.rand(4)
        with torch.no_grad():
            dist = Categorical(logits=policy(state))
            action = dist.sample()
            old.append(dist.log_prob(action))
        states.append(state)
        actions.append(action.item())
        rewards.append(float(action == 1))
    states, actions, old = torch.stack(states), torch.tensor(actions), torch.stack(old)
    advantages = torch.tensor(rewards) - sum(rewards) / 8
    for _ in range(2):
        dist = Categorical(logits=policy(states))
        ratio = torch.exp(dist.log_prob(actions) - old)
        loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print((dist.sample() == 1).float().mean().item())
