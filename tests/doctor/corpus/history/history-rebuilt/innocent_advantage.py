"""The advantage is a copy of the critic's values on purpose: the critic has its own loss."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
policy, value = nn.Linear(4, 2), nn.Linear(4, 1)
optimizer = torch.optim.Adam(list(policy.parameters()) + list(value.parameters()), lr=1e-3)
for update in range(5):
    states = torch.randn(8, 4)
    distribution = torch.distributions.Categorical(logits=policy(states))
    actions = distribution.sample()
    returns = torch.randn(8)
    values = [value(each)[0] for each in states]
    advantage = returns - torch.tensor([each.item() for each in values])
    actor_loss = -(distribution.log_prob(actions) * advantage).mean()
    critic_loss = F.smooth_l1_loss(torch.stack(values), returns)
    optimizer.zero_grad()
    (actor_loss + 0.5 * critic_loss).backward()
    optimizer.step()
