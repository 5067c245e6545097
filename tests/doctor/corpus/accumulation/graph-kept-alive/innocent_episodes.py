"""Log-probabilities of an episode are kept until its update, and then let go."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(2, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _episode in range(12):
    log_probs, rewards = [], []
    state = torch.randn(2)
    for _ in range(8):
        dist = torch.distributions.Categorical(logits=policy(state))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        rewards.append(1.0 if action.item() == int(state[0] > 0) else 0.0)
        state = torch.randn(2)
    loss = -torch.stack(log_probs).sum() * (sum(rewards) / 8 - 0.5)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
