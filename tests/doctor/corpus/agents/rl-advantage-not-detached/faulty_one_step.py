"""One backward for both networks, with the error of the critic as it is."""

import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
oa, oc = torch.optim.Adam(actor.parameters(), 1e-3), torch.optim.Adam(critic.parameters(), 1e-3)
for _ in range(12):
    s, s2 = torch.randn(4), torch.randn(4)
    d = Categorical(logits=actor(s))
    a = d.sample()
    r = float(a == 1)
    with torch.no_grad():
        y = r + 0.99 * critic(s2)
    delta = y - critic(s)
    loss = delta.pow(2).sum() - (d.log_prob(a) * delta).sum()  # finding: rl-advantage-not-detached
    oa.zero_grad()
    oc.zero_grad()
    loss.backward()
    oa.step()
    oc.step()
