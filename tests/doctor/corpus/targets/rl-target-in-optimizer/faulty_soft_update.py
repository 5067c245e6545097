"""A list of all networks goes to one optimizer, the slow copy of the critic among them."""

import torch
from torch import nn


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, outputs))


def soft_update(slow, fast, tau=0.05):
    for old, new in zip(slow.parameters(), fast.parameters()):
        old.data.copy_(tau * new.data + (1 - tau) * old.data)


torch.manual_seed(0)
actor, critic, critic_target = mlp(3, 1), mlp(4, 1), mlp(4, 1)
critic_target.load_state_dict(critic.state_dict())
networks = nn.ModuleList([actor, critic, critic_target])
optimizer = torch.optim.Adam(networks.parameters(), lr=1e-3)  # finding: rl-target-in-optimizer
for _ in range(6):
    state, following, reward = torch.randn(8, 3), torch.randn(8, 3), torch.randn(8, 1)
    action = torch.tanh(actor(state))
    with torch.no_grad():
        after = torch.tanh(actor(following))
        wanted = reward + 0.99 * critic_target(torch.cat([following, after], 1))
    loss = (critic(torch.cat([state, action.detach()], 1)) - wanted).pow(2).mean()
    loss = loss - critic(torch.cat([state, action], 1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    soft_update(critic_target, critic)
