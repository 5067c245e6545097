"""TD3 in one file, in the manner of cleanrl: two critics, a delayed actor, noise on the target's actions"""

import gymnasium
import numpy as np
import torch
from torch import nn, optim
from torch.nn import functional as F

SEED, TOTAL, BATCH, GAMMA, TAU, BEGIN = 3, 3_500, 64, 0.98, 0.01, 500
np.random.seed(SEED)
torch.manual_seed(SEED)
world = gymnasium.make("Pendulum-v1")
world.action_space.seed(SEED)


class QNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 1)

    def forward(self, x, a):
        x = F.relu(self.fc1(torch.cat([x, a], 1)))
        return self.fc3(F.relu(self.fc2(x)))


class Actor(nn.Module):
    def __init__(self, space):
        super().__init__()
        self.fc1 = nn.Linear(3, 64)
        self.fc2 = nn.Linear(64, 64)
        self.mean = nn.Linear(64, 1)
        self.register_buffer("scale", torch.tensor((space.high - space.low) / 2.0, dtype=torch.float32))
        self.register_buffer("bias", torch.tensor((space.high + space.low) / 2.0, dtype=torch.float32))

    def forward(self, x):
        return torch.tanh(self.mean(F.relu(self.fc2(F.relu(self.fc1(x)))))) * self.scale + self.bias


actor, held_actor = Actor(world.action_space), Actor(world.action_space)
critics, held_critics = [QNetwork(), QNetwork()], [QNetwork(), QNetwork()]
held_actor.load_state_dict(actor.state_dict())
for held, current in zip(held_critics, critics, strict=False):
    held.load_state_dict(current.state_dict())
critic_optimizer = optim.Adam([each for critic in critics for each in critic.parameters()], lr=1e-3)
actor_optimizer = optim.Adam(list(actor.parameters()), lr=1e-3)
memory = {name: np.zeros((TOTAL, size), np.float32) for name, size in zip("xanrd", (3, 1, 3, 1, 1), strict=False)}
returns, so_far = [], 0.0
now, _ = world.reset(seed=SEED)
for step in range(TOTAL):
    if step < BEGIN:
        action = world.action_space.sample()
    else:
        with torch.no_grad():
            action = actor(torch.Tensor(now[None]))
            action = (action + torch.normal(0, actor.scale * 0.1)).numpy().clip(-2, 2)[0]
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
    x, a, n, r, d = (torch.from_numpy(memory[name][chosen]) for name in "xanrd")
    with torch.no_grad():
        noise = (torch.randn_like(a) * 0.2).clamp(-0.5, 0.5) * held_actor.scale
        next_action = (held_actor(n) + noise).clamp(-2, 2)
        least = torch.min(held_critics[0](n, next_action), held_critics[1](n, next_action))
        wanted = r.flatten() + (1 - d.flatten()) * GAMMA * least.view(-1)
    loss = sum(F.mse_loss(critic(x, a).view(-1), wanted) for critic in critics)
    critic_optimizer.zero_grad()
    loss.backward()
    critic_optimizer.step()
    if step % 2 == 0:
        actor_loss = -critics[0](x, actor(x)).mean()
        actor_optimizer.zero_grad()
        actor_loss.backward()
        actor_optimizer.step()
        for one, other in [(actor, held_actor), *zip(critics, held_critics, strict=False)]:
            for current, held in zip(one.parameters(), other.parameters(), strict=False):
                held.data.copy_(TAU * current.data + (1 - TAU) * held.data)
print(f"first {np.mean(returns[:3]):.0f}")
assert np.mean(returns[-4:]) > np.mean(returns[:3]) + 500, returns
