"""tianshou: its buffers, batches and networks, in a DQN by hand on CartPole."""

import copy

import gymnasium
import numpy as np
import torch
from tianshou.data import Batch, ReplayBuffer
from tianshou.utils.net.common import Net

torch.manual_seed(0)
np.random.seed(0)
environment = gymnasium.make("CartPole-v1")
environment.action_space.seed(0)
net = Net(state_shape=(4,), action_shape=2, hidden_sizes=[64, 64])
target_net = copy.deepcopy(net)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
buffer = ReplayBuffer(size=5_000)
returns = []
for episode in range(120):
    observation, _ = environment.reset(seed=episode)
    total, over = 0.0, False
    while not over:
        values, _ = net(Batch(obs=observation[None]).obs)
        action = (
            int(values.argmax())
            if np.random.rand() > max(0.05, 1 - episode / 60)
            else environment.action_space.sample()
        )
        following, reward, terminated, truncated, _ = environment.step(action)
        buffer.add(
            Batch(
                obs=observation,
                act=action,
                rew=reward,
                terminated=terminated,
                truncated=truncated,
                obs_next=following,
                info={},
            )
        )
        observation, total, over = following, total + reward, terminated or truncated
        if len(buffer) > 128:
            batch, _ = buffer.sample(64)
            with torch.no_grad():
                ahead = target_net(batch.obs_next)[0].max(1).values
            target = torch.as_tensor(batch.rew, dtype=torch.float32) + 0.98 * ahead * torch.as_tensor(~batch.terminated)
            value = net(batch.obs)[0].gather(1, torch.as_tensor(batch.act)[:, None]).squeeze(1)
            loss = torch.nn.functional.smooth_l1_loss(value, target.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    returns.append(total)
    if episode % 2 == 0:
        target_net.load_state_dict(net.state_dict())
print("returns", returns[:5])
assert max(np.convolve(returns, np.ones(10) / 10, "valid")) > 2 * np.mean(returns[:10])
