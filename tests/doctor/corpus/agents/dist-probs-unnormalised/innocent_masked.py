"""Probabilities from a softmax, masked since: Categorical makes them sum to one again. And plain counts."""

import torch
from torch import nn
from torch.distributions import Categorical, OneHotCategorical

torch.manual_seed(0)
policy = nn.Linear(4, 5)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
mask = torch.tensor([1.0, 1.0, 0.0, 1.0, 0.0])
prior = Categorical(torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0]))
for step in range(6):
    out = policy(torch.randn(8, 4))
    if step % 3 == 0:
        dist = Categorical(out.softmax(-1) * mask)
    elif step % 3 == 1:
        dist = Categorical(probs=out.exp())
    else:
        dist = Categorical(torch.softmax(out, dim=-1))
    action = dist.sample()
    onehot = OneHotCategorical(logits=out).sample()
    reward = (action == prior.sample((8,))).float() + onehot[:, 0]
    loss = -(dist.log_prob(action) * (reward - 0.2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
