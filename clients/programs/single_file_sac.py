"""SAC in one file, in the manner of cleanrl: a squashed Gaussian actor, two critics, a temperature that is learned"""

import gymnasium
import numpy as np
import torch
from torch import nn, optim
from torch.nn import functional as F

SEED, TOTAL, BATCH, GAMMA, TAU, BEGIN = 1, 3_000, 64, 0.98, 0.01, 500
LEAST, MOST = -5, 2
np.random.seed(SEED)
torch.manual_seed(SEED)
world = gymnasium.make("Pendulum-v1")
world.action_space.seed(SEED)


class SoftQNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(4, 64), nn.Linear(64, 64), nn.Linear(64, 1)

    def forward(self, x, a):
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(torch.cat([x, a], 1))))))


class Actor(nn.Module):
    def __init__(self, space):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(3, 64), nn.Linear(64, 64)
        self.fc_mean, self.fc_logstd = nn.Linear(64, 1), nn.Linear(64, 1)
        self.register_buffer("scale", torch.tensor((space.high - space.low) / 2.0, dtype=torch.float32))
        self.register_buffer("bias", torch.tensor((space.high + space.low) / 2.0, dtype=torch.float32))

    def forward(self, x):
        x = F.relu(self.fc2(F.relu(self.fc1(x))))
        log_std = torch.tanh(self.fc_logstd(x))
        return self.fc_mean(x), LEAST + 0.5 * (MOST - LEAST) * (log_std + 1)

    def get_action(self, x):
        mean, log_std = self(x)
        normal = torch.distributions.Normal(mean, log_std.exp())
        drawn = normal.rsample()
        squashed = torch.tanh(drawn)
        log_prob = normal.log_prob(drawn)
        log_prob -= torch.log(self.scale * (1 - squashed.pow(2)) + 1e-6)
        return squashed * self.scale + self.bias, log_prob.sum(1, keepdim=True)


actor = Actor(world.action_space)
critics, held_critics = nn.ModuleList([SoftQNetwork(), SoftQNetwork()]), nn.ModuleList([SoftQNetwork(), SoftQNetwork()])
held_critics.load_state_dict(critics.state_dict())
critic_optimizer = optim.Adam(critics.parameters(), lr=1e-3)
actor_optimizer = optim.Adam(actor.parameters(), lr=1e-3)
target_entropy = -torch.prod(torch.Tensor(world.action_space.shape)).item()
log_alpha = torch.zeros(1, requires_grad=True)
alpha = log_alpha.exp().item()
alpha_optimizer = optim.Adam([log_alpha], lr=1e-3)
memory = {name: np.zeros((TOTAL, size), np.float32) for name, size in zip("xanrd", (3, 1, 3, 1, 1), strict=False)}
returns, so_far = [], 0.0
now, _ = world.reset(seed=SEED)
for step in range(TOTAL):
    if step < BEGIN:
        action = world.action_space.sample()
    else:
        action, _ = actor.get_action(torch.Tensor(now[None]))
        action = action.detach().cpu().numpy()[0]
    then, reward, done, cut, _ = world.step(action)
    so_far += reward
    for name, value in zip("xanrd", (now, action, then, reward / 8, done), strict=False):
        memory[name][step] = value
    now = then
    if done or cut:
        returns.append(so_far)
        (now, _), so_far = world.reset(), 0.0
    if step <= BEGIN:
        continue
    chosen = np.random.randint(0, step, BATCH)
    x, a, n, r, d = (torch.as_tensor(memory[name][chosen]) for name in "xanrd")
    with torch.no_grad():
        next_action, next_log_prob = actor.get_action(n)
        least = torch.min(*(critic(n, next_action) for critic in held_critics)) - alpha * next_log_prob
        wanted = r.flatten() + (1 - d.flatten()) * GAMMA * least.view(-1)
    loss = sum(F.mse_loss(critic(x, a).view(-1), wanted) for critic in critics)
    critic_optimizer.zero_grad()
    loss.backward()
    critic_optimizer.step()
    drawn, log_prob = actor.get_action(x)
    actor_loss = (alpha * log_prob - torch.min(*(critic(x, drawn) for critic in critics))).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    with torch.no_grad():
        _, log_prob = actor.get_action(x)
    alpha_loss = (-log_alpha.exp() * (log_prob + target_entropy)).mean()
    alpha_optimizer.zero_grad()
    alpha_loss.backward()
    alpha_optimizer.step()
    alpha = log_alpha.exp().item()
    for current, held in zip(critics.parameters(), held_critics.parameters(), strict=False):
        held.data.copy_(TAU * current.data + (1 - TAU) * held.data)
print(f"first {np.mean(returns[:3]):.0f}")
assert np.mean(returns[-4:]) > np.mean(returns[:3]) + 400, returns
