"""C51 in one file: returns as distributions over fifty-one values, moved and spread over their neighbours."""

import gymnasium
import numpy as np
import torch
from torch import nn, optim

ATOMS, LOW, HIGH, GAMMA, TOTAL = 51, 0.0, 100.0, 0.99, 5_000


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("atoms", torch.linspace(LOW, HIGH, steps=ATOMS))
        self.body = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2 * ATOMS))

    def forward(self, seen, action=None):
        shares = torch.softmax(self.body(seen).view(len(seen), 2, ATOMS), dim=2)
        if action is None:
            action = torch.argmax((shares * self.atoms).sum(2), 1)
        return action, shares[torch.arange(len(seen)), action]


torch.manual_seed(2)
random = np.random.default_rng(2)
world = gymnasium.make("CartPole-v1")
network, target = Network(), Network()
target.load_state_dict(network.state_dict())
optimizer = optim.Adam(network.parameters(), lr=2.5e-3, eps=0.01 / 64)
memory, lengths, length = [], [], 0
now, _ = world.reset(seed=2)
for step in range(TOTAL):
    if random.random() < max(0.05, 1 - step / 2_000):
        action = int(random.integers(2))
    else:
        action = int(network(torch.tensor(now[None]))[0])
    after, reward, done, cut, _ = world.step(action)
    memory.append((now, action, reward, after, done))
    now, length = after, length + 1
    if done or cut:
        lengths.append(length)
        (now, _), length = world.reset(), 0
    if step > 500 and step % 4 == 0:
        batch = [memory[i] for i in random.integers(len(memory), size=64)]
        seen, acts, gains, then, ended = (torch.tensor(np.array(each)) for each in zip(*batch, strict=True))
        with torch.no_grad():
            _, shares = target(then)
            moved = (gains[:, None].float() + GAMMA * target.atoms * (~ended[:, None])).clamp(LOW, HIGH)
            place = (moved - LOW) / (target.atoms[1] - target.atoms[0])
            below, above = place.floor().clamp(0, ATOMS - 1), place.ceil().clamp(0, ATOMS - 1)
            spread = torch.zeros_like(shares)
            for i in range(len(spread)):
                spread[i].index_add_(0, below[i].long(), (above + (below == above).float() - place)[i] * shares[i])
                spread[i].index_add_(0, above[i].long(), (place - below)[i] * shares[i])
        _, old = network(seen, acts)
        loss = (-(spread * old.clamp(min=1e-5, max=1 - 1e-5).log()).sum(-1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if step % 250 == 0:
        target.load_state_dict(network.state_dict())
print(f"first episodes {np.mean(lengths[:10]):.1f}")
assert np.mean(lengths[-5:]) > 2 * np.mean(lengths[:10]), (np.mean(lengths[:10]), np.mean(lengths[-5:]))
