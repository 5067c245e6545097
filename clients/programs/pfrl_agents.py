"""pfrl: a double DQN with its replay buffer and a PPO agent, trained by hand on CartPole"""

import gymnasium
import numpy as np
import pfrl
import torch
from torch import nn

torch.manual_seed(0)
np.random.seed(0)


def episodes(agent, count, seed):
    world = gymnasium.make("CartPole-v1")
    world.action_space.seed(seed)
    returns = []
    for number in range(count):
        (now, _), total, ended = world.reset(seed=seed + number), 0, False
        while not ended:
            action = agent.act(now.astype(np.float32))
            now, reward, done, cut, _ = world.step(action)
            total, ended = total + reward, done or cut
            agent.observe(now.astype(np.float32), reward, done, cut)
        returns.append(total)
    return returns


q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2), pfrl.q_functions.DiscreteActionValueHead())
agent = pfrl.agents.DoubleDQN(
    q,
    torch.optim.Adam(q.parameters(), lr=2e-3, eps=1e-5),
    pfrl.replay_buffers.ReplayBuffer(10_000),
    0.99,
    pfrl.explorers.LinearDecayEpsilonGreedy(1.0, 0.05, 1500, lambda: np.random.randint(2)),
    replay_start_size=300,
    update_interval=1,
    target_update_interval=100,
    gpu=None,
)
returns = episodes(agent, 100, 0)
print("double dqn", f"{np.mean(returns[:10]):.1f}", agent.get_statistics()[0][0])
assert max(np.convolve(returns, np.ones(10) / 10, "valid")) > 1.5 * np.mean(returns[:10]), returns
policy = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2), pfrl.policies.SoftmaxCategoricalHead())
value = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 1))
model = pfrl.nn.Branched(policy, value)
ppo = pfrl.agents.PPO(
    model, torch.optim.Adam(model.parameters(), lr=1e-3), gpu=None, update_interval=256, minibatch_size=64, epochs=5
)
returns = episodes(ppo, 130, 1000)
print("ppo", f"{np.mean(returns[:10]):.1f}")
assert np.mean(returns[-10:]) > 1.5 * np.mean(returns[:10])
