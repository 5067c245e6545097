"""DQN in one file, in the manner of cleanrl: a replay buffer in NumPy, a target network, an annealed epsilon"""

import random

import gymnasium
import numpy as np
import torch
from torch import nn, optim
from torch.nn import functional as F

SEED, TOTAL, BUFFER, BATCH, GAMMA, BEGIN, EVERY, SYNC = 1, 8_000, 4_000, 64, 0.99, 500, 2, 200

random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)
torch.backends.cudnn.deterministic = True
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
worlds = gymnasium.vector.SyncVectorEnv(
    [lambda: gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make("CartPole-v1"))]
)


class QNetwork(nn.Module):
    def __init__(self, worlds):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(int(np.array(worlds.single_observation_space.shape).prod()), 64),
            nn.ReLU(),
            nn.Linear(64, 48),
            nn.ReLU(),
            nn.Linear(48, worlds.single_action_space.n),
        )

    def forward(self, x):
        return self.network(x)


network, target = QNetwork(worlds).to(device), QNetwork(worlds).to(device)
target.load_state_dict(network.state_dict())
optimizer = optim.Adam(network.parameters(), lr=1e-3)
seen, after = np.zeros((BUFFER, 4), np.float32), np.zeros((BUFFER, 4), np.float32)
actions, rewards, ended = np.zeros((BUFFER, 1), np.int64), np.zeros(BUFFER, np.float32), np.zeros(BUFFER, np.float32)
returns, so_far = [], 0.0
now, _ = worlds.reset(seed=SEED)
for step in range(TOTAL):
    epsilon = max(0.05, 1 - step / (0.4 * TOTAL))
    if random.random() < epsilon:
        action = np.array([random.randrange(2)])
    else:
        action = torch.argmax(network(torch.Tensor(now).to(device)), dim=1).cpu().numpy()
    then, reward, done, cut, infos = worlds.step(action)
    so_far += reward[0]
    if done[0] or cut[0]:
        returns.append(so_far)
        so_far = 0.0
    place = step % BUFFER
    seen[place], after[place] = now, then
    actions[place, 0], rewards[place], ended[place] = action[0], reward[0], done[0]
    now = then
    if step <= BEGIN:
        continue
    if step % EVERY == 0:
        chosen = np.random.randint(0, min(step, BUFFER), BATCH)
        batch = [torch.from_numpy(each[chosen]).to(device) for each in (seen, after, actions, rewards, ended)]
        with torch.no_grad():
            best, _ = target(batch[1]).max(dim=1)
            wanted = batch[3] + GAMMA * best * (1 - batch[4])
        loss = F.mse_loss(wanted, network(batch[0]).gather(1, batch[2]).squeeze())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if step % SYNC == 0:
        for held, current in zip(target.parameters(), network.parameters(), strict=False):
            held.data.copy_(1.0 * current.data + 0.0 * held.data)
worlds.close()
print(f"{len(returns)} episodes, first ten {np.mean(returns[:10]):.1f}, best ten {np.sort(returns)[-10:].mean():.1f}")
assert np.sort(returns)[-10:].mean() > 4 * np.mean(returns[:10])
