"""A policy moves by a search along its natural gradient, written to it by hand; the optimizer trains the critic beside it."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=1e-3)
for _ in range(10):
    states = torch.randn(32, 4)
    with torch.no_grad():
        actions = torch.distributions.Categorical(logits=policy(states)).sample().numpy()
    returns = torch.as_tensor(actions, dtype=torch.float32) * states[:, 0]
    chosen = torch.distributions.Categorical(logits=policy(states)).log_prob(torch.as_tensor(actions))
    objective = (chosen * (returns - critic(states).squeeze(1).detach())).mean()
    weights = list(policy.parameters())
    gradients = torch.autograd.grad(objective, weights)
    length = torch.cat([each.flatten() for each in gradients]).norm()
    before = [each.detach().clone() for each in weights]
    for each, old, gradient in zip(weights, before, gradients):
        each.data = old.data + 0.01 * gradient / length
    loss = nn.functional.mse_loss(critic(states).squeeze(1), returns)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
