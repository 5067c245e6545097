"""A squashed and scaled action of an independent normal, without the change of variables."""

import torch
from torch import nn
from torch.distributions import Independent, Normal

torch.manual_seed(0)
policy = nn.Linear(4, 2)
reward_model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
reward_model.requires_grad_(False)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
log_alpha = torch.tensor(-1.0)
for _ in range(5):
    obs = torch.randn(8, 4)
    pi = Independent(Normal(policy(obs), torch.full((8, 2), 0.5)), 1)
    raw = pi.rsample()
    logp = pi.log_prob(raw)  # finding: rl-squash-correction
    act = 2.0 * torch.tanh(raw)
    q = reward_model(torch.cat((obs, act), dim=1)).squeeze(1)
    actor_loss = (log_alpha.exp() * logp - q).mean()
    optimizer.zero_grad()
    actor_loss.backward()
    optimizer.step()
