"""The old log-probabilities are kept from the rollout with their graph."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _iteration in range(4):
    states, actions, old_log_probs, rewards = [], [], [], []
    state = torch.randn(4)
    for _ in range(8):
        dist = Categorical(logits=policy(state))
        action = dist.sample()
        states.append(state)
        actions.append(action)
        old_log_probs.append(dist.log_prob(action))
        rewards.append(float(action.item() == 1))
        state = torch.randn(4)
    states, actions = torch.stack(states), torch.stack(actions)
    old_log_probs = torch.stack(old_log_probs)
    advantages = torch.tensor(rewards) - sum(rewards) / len(rewards)
    new_log_probs = Categorical(logits=policy(states)).log_prob(actions)
    ratio = torch.exp(new_log_probs - old_log_probs)  # finding: rl-ratio-not-detached
    loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
