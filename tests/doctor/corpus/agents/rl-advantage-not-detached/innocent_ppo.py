"""PPO with advantages from the rollout, made under no_grad, a shared body and a learned standard deviation."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 32), nn.Tanh())
        self.mean = nn.Linear(32, 1)
        self.log_std = nn.Parameter(torch.zeros(1))
        self.value = nn.Linear(32, 1)

    def act(self, obs):
        hidden = self.body(obs)
        return Normal(self.mean(hidden), self.log_std.exp()), self.value(hidden).squeeze(-1)


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
for _iteration in range(3):
    obs = torch.randn(32, 3)
    with torch.no_grad():
        dist, values = policy.act(obs)
        actions = dist.sample()
        old_log_probs = dist.log_prob(actions).sum(-1)
        rewards = -(actions.squeeze(-1) - obs[:, 0]).pow(2)
        advantages = torch.zeros(32)
        last = 0.0
        for t in reversed(range(32)):
            following = values[t + 1] if t < 31 else 0.0
            delta = rewards[t] + 0.99 * following - values[t]
            advantages[t] = last = delta + 0.95 * 0.99 * last
        returns = advantages + values
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for _epoch in range(3):
        dist, value = policy.act(obs)
        ratio = (dist.log_prob(actions).sum(-1) - old_log_probs).exp()
        clipped = torch.clamp(ratio, 0.8, 1.2)
        policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
        loss = policy_loss + 0.5 * F.mse_loss(value, returns) - 0.01 * dist.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        optimizer.step()
