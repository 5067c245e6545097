"""Two losses of one forward pass, each with a backward of its own."""

import torch
from torch import nn

torch.manual_seed(0)
body = nn.Linear(4, 8)
policy_head, value_head = nn.Linear(8, 2), nn.Linear(8, 1)
parameters = [*body.parameters(), *policy_head.parameters(), *value_head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3)
states, actions, returns = torch.randn(16, 4), torch.randint(2, (16,)), torch.randn(16)
for _epoch in range(4):
    hidden = torch.tanh(body(states))
    policy_loss = nn.functional.cross_entropy(policy_head(hidden), actions)
    value_loss = (value_head(hidden).squeeze(1) - returns).pow(2).mean()
    optimizer.zero_grad()
    policy_loss.backward()
    value_loss.backward()  # finding: graph-backward-twice
    optimizer.step()
