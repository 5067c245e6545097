"""PPO in one file, in the manner of cleanrl: several CartPoles at once, advantages by hand, clipped updates."""

import gymnasium
import numpy as np
import torch
from torch import nn, optim
from torch.distributions.categorical import Categorical

ENVIRONMENTS, STEPS, UPDATES, EPOCHS, PIECES = 4, 128, 25, 4, 4
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.2, 0.01


def layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, gain)
    nn.init.constant_(made.bias, 0.0)
    return made


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(layer(4, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 1, 1.0))
        self.actor = nn.Sequential(layer(4, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 2, 0.01))

    def act(self, seen, action=None):
        choices = Categorical(logits=self.actor(seen))
        action = choices.sample() if action is None else action
        return action, choices.log_prob(action), choices.entropy(), self.critic(seen).squeeze(-1)


np.random.seed(1)
torch.manual_seed(1)
worlds = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make("CartPole-v1") for _ in range(ENVIRONMENTS)])
agent = Agent()
optimizer = optim.Adam(agent.parameters(), lr=2.5e-3, eps=1e-5)
schedule = optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, UPDATES)
seen = torch.zeros(STEPS, ENVIRONMENTS, 4)
actions, logs, rewards, ends, values = (torch.zeros(STEPS, ENVIRONMENTS) for _ in range(5))
now, _ = worlds.reset(seed=1)
now, over = torch.tensor(now), torch.zeros(ENVIRONMENTS)
lengths, running = [], np.zeros(ENVIRONMENTS)
for _ in range(UPDATES):
    for step in range(STEPS):
        seen[step], ends[step] = now, over
        with torch.no_grad():
            action, logs[step], _, values[step] = agent.act(now)
        actions[step] = action
        now, reward, done, cut, _ = worlds.step(action.numpy())
        rewards[step] = torch.tensor(reward)
        running += 1
        finished = np.logical_or(done, cut)
        lengths += list(running[finished])
        running[finished] = 0
        now, over = torch.Tensor(now), torch.Tensor(finished)
    with torch.no_grad():
        following, advantages, last = agent.critic(now).squeeze(-1), torch.zeros_like(rewards), 0
        for step in reversed(range(STEPS)):
            going = 1.0 - (over if step == STEPS - 1 else ends[step + 1])
            after = following if step == STEPS - 1 else values[step + 1]
            last = rewards[step] + GAMMA * after * going - values[step] + GAMMA * LAMBDA * going * last
            advantages[step] = last
        returns = advantages + values
    flat = [each.reshape(-1, *each.shape[2:]) for each in (seen, actions, logs, advantages, returns)]
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(flat[1])).chunk(PIECES):
            some, act, old, gain, goal = (each[rows] for each in flat)
            _, new, entropy, value = agent.act(some, act)
            ratio = (new - old).exp()
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            policy = torch.max(-gain * ratio, -gain * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            loss = policy - ENTROPY * entropy.mean() + 0.5 * (value - goal).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    schedule.step()
print(f"first episodes {np.mean(lengths[:10]):.0f}")
assert np.mean(lengths[-10:]) > 3 * np.mean(lengths[:10]), np.mean(lengths[-10:])
