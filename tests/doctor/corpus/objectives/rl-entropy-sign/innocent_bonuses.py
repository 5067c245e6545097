"""Bonuses with the right sign, however they are written."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Linear(4, 3)
optimizers = [
    torch.optim.SGD(policy.parameters(), lr=0.01),
    torch.optim.SGD(policy.parameters(), lr=0.01, maximize=True),
]
for step in range(12):
    dist = Categorical(logits=policy(torch.randn(10, 4)))
    action = dist.sample()
    advantage = torch.randn(10)
    gain = (dist.log_prob(action) * advantage).mean()
    if step % 4 == 0:
        loss = -gain - 0.01 * dist.entropy().mean()
    elif step % 4 == 1:
        loss = gain + 0.01 * dist.entropy().mean()
    elif step % 4 == 2:
        entropy_loss = -0.01 * dist.entropy().mean()
        loss = -gain + entropy_loss
    else:
        loss = gain - 0.01 * (dist.probs * dist.logits).sum(-1).mean()
    optimizer = optimizers[step % 2]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
