"""Soft actor-critic's log_alpha is a plain leaf that nobody steps."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(3, 2)
log_alpha = torch.zeros(1, requires_grad=True)
policy_optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)  # finding: optim-missing-param
target_entropy = -2.0
for _update in range(7):
    states = torch.randn(16, 3)
    dist = torch.distributions.Normal(policy(states), 1.0)
    action = dist.rsample()
    log_prob = dist.log_prob(action).sum(-1)
    alpha_loss = -(log_alpha * (log_prob + target_entropy).detach()).mean()
    policy_loss = (log_alpha.exp().detach() * log_prob + action.pow(2).sum(-1)).mean()
    policy_optimizer.zero_grad()
    (policy_loss + alpha_loss).backward()
    policy_optimizer.step()
