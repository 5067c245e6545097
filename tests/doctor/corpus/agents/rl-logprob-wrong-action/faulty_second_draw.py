"""The action that is scored is drawn anew."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _episode in range(5):
    log_probs, rewards = [], []
    state = torch.rand(2)
    for _ in range(6):
        dist = Categorical(logits=policy(state))
        action = dist.sample()
        reward = 1.0 if action.item() == 2 else 0.0
        log_probs.append(dist.log_prob(dist.sample()))  # finding: rl-logprob-wrong-action
        rewards.append(reward)
        state = torch.rand(2)
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    loss = -(torch.stack(log_probs) * (returns - returns.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
