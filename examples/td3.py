"""Twin delayed DDPG (TD3) swings a pendulum up: one action for each observation, and three precautions.

The critics predict how much reward is to come after an action, and the actor learns the action they like best: its
gradient goes through them. Two critics are asked and the more sceptical one is believed; the action of the target actor
is blurred, so that no spike in a critic is taken for a summit; and the actor learns only every other step.

    python examples/td3.py                  learn for 10,000 steps, draw the learning curve
    python examples/td3.py --losses 50      print the first 50 losses of the critics and stop
    python examples/td3.py --logs runs      write losses and returns for TensorBoard too

The program is plain PyTorch: with `import torch` as its first import it prints the same losses.
"""

import rushlight as torch  # isort: skip

import argparse
import importlib
import sys
import time
from itertools import islice

import gymnasium
import numpy as np
from tqdm import tqdm

nn = torch.nn
F = torch.nn.functional

HIGH = 2.0  # the torque at the joint, either way
# what is remembered of a step: observation, action, reward, next observation
SIZES = (3, 1, 1, 3)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the networks, the actions and the environment")
    parser.add_argument("--steps", type=int, default=10_000, help="environment steps, each followed by an update")
    parser.add_argument("--random-steps", type=int, default=500, help="steps at the start with random actions")
    parser.add_argument("--batch", type=int, default=128, help="remembered steps in one update")
    parser.add_argument("--hidden", type=int, default=64, help="units in each of two hidden layers")
    parser.add_argument("--gamma", type=float, default=0.99, help="how much a reward is worth one step later")
    parser.add_argument("--tau", type=float, default=0.01, help="how fast the target networks follow")
    parser.add_argument("--noise", type=float, default=0.2, help="of the actions that are tried")
    parser.add_argument("--blur", type=float, default=0.4, help="of the target's actions, and at most twice that")
    parser.add_argument("--delay", type=int, default=2, help="updates of the critics for one of the actor")
    parser.add_argument("--lr", type=float, default=1e-3, help="learning rate of everything")
    parser.add_argument("--good", type=float, default=-200.0, help="mean return of 20 greedy episodes that is enough")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="td3.png", metavar="FILE", help="where the learning curve goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write losses and returns for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def network(inputs, hidden):
    """Two hidden layers, and one number out of them."""
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
    )


class Networks(nn.Module):
    """An actor and two critics."""

    def __init__(self, hidden):
        super().__init__()
        self.actor = network(3, hidden)
        self.one, self.other = network(4, hidden), network(4, hidden)

    def act(self, observation):
        """From observations (N, 3) to actions (N, 1) within their bounds."""
        return HIGH * self.actor(observation).tanh()

    def judge(self, observation, action):
        """Two opinions about the return after an action, each (N, 1)."""
        both = torch.cat([observation, action], -1)
        return self.one(both), self.other(both)


class Memory:
    """The steps that were lived, one in a row."""

    def __init__(self, steps, random):
        self.rows = np.zeros((steps, sum(SIZES)), np.float32)
        self.count = 0
        self.random = random

    def keep(self, observation, action, reward, following):
        self.rows[self.count] = np.concatenate([observation, action, [reward], following])
        self.count += 1

    def recall(self, number):
        """Some of the steps at random: a tensor (N, size) for each of SIZES."""
        rows = self.rows[self.random.integers(self.count, size=number)]
        return torch.from_numpy(rows).split(SIZES, -1)


class Agent:
    """The networks, what they have lived through, and how they learn."""

    def __init__(self, arguments):
        self.arguments = arguments
        torch.manual_seed(arguments.seed)
        self.networks, self.targets = Networks(arguments.hidden), Networks(arguments.hidden)
        self.targets.load_state_dict(self.networks.state_dict())
        critics = [*self.networks.one.parameters(), *self.networks.other.parameters()]
        self.critic_optimizer = torch.optim.Adam(critics, lr=arguments.lr)
        self.actor_optimizer = torch.optim.Adam(self.networks.actor.parameters(), lr=arguments.lr)
        self.random = np.random.default_rng(arguments.seed)
        self.memory = Memory(arguments.steps, self.random)
        self.environment = gymnasium.make("Pendulum-v1")
        self.returns = []
        self.steps = 0

    def act(self, observation):
        """The actor's action and a little noise; at first nothing but chance."""
        if self.steps < self.arguments.random_steps:
            return self.random.uniform(-HIGH, HIGH, 1).astype(np.float32)
        noise = self.arguments.noise * self.random.standard_normal(1).astype(np.float32)
        return (self.best(observation) + noise).clip(-HIGH, HIGH)

    @torch.no_grad()
    def best(self, observation):
        return self.networks.act(torch.from_numpy(observation)).numpy()

    def learn(self):
        """Play and update, and yield the critics' loss of each update."""
        observation, _ = self.environment.reset(seed=self.arguments.seed)
        total = 0.0
        while self.steps < self.arguments.steps:
            action = self.act(observation)
            following, reward, _, time_is_up, _ = self.environment.step(action)
            # rewards of a tenth keep returns near those that a network starts with
            self.memory.keep(observation, action, 0.1 * float(reward), following)
            observation, total = following, total + float(reward)
            self.steps += 1
            if time_is_up:
                self.returns.append(total)
                observation, _ = self.environment.reset()
                total = 0.0
            if self.steps > self.arguments.random_steps:
                batch = self.memory.recall(self.arguments.batch)
                yield self.update_critics(*batch)
                if self.steps % self.arguments.delay == 0:
                    self.update_actor(batch[0])

    def update_critics(self, observation, action, reward, following):
        with torch.no_grad():
            blur = (self.arguments.blur * torch.randn_like(action)).clamp(
                -2 * self.arguments.blur, 2 * self.arguments.blur
            )
            next_action = (self.targets.act(following) + blur).clamp(-HIGH, HIGH)
            expected = reward + self.arguments.gamma * torch.minimum(*self.targets.judge(following, next_action))
        one, other = self.networks.judge(observation, action)
        loss = F.mse_loss(one, expected) + F.mse_loss(other, expected)
        self.critic_optimizer.zero_grad()
        loss.backward()
        self.critic_optimizer.step()
        return loss.item()

    def update_actor(self, observation):
        """Actions that the first critic likes better; then all targets follow a little."""
        value, _ = self.networks.judge(observation, self.networks.act(observation))
        self.actor_optimizer.zero_grad()
        (-value.mean()).backward()
        self.actor_optimizer.step()
        with torch.no_grad():
            for target, source in zip(self.targets.parameters(), self.networks.parameters(), strict=True):
                target.lerp_(source, self.arguments.tau)


def evaluate(agent, episodes):
    """Mean return of episodes with greedy actions."""
    environment, total = gymnasium.make("Pendulum-v1"), 0.0
    for episode in range(episodes):
        observation, _ = environment.reset(seed=1000 + episode)
        time_is_up = False
        while not time_is_up:
            observation, reward, _, time_is_up, _ = environment.step(agent.best(observation))
            total += float(reward)
    return total / episodes


def train(agent, arguments):
    """The losses of all updates, with a bar of the steps."""
    losses, quiet = [], arguments.no_progress or arguments.losses is not None
    with tqdm(total=arguments.steps, unit="step", disable=quiet) as bar:
        for loss in islice(agent.learn(), arguments.losses):
            losses.append(loss)
            bar.update(agent.steps - bar.n)
            bar.set_postfix_str(f"mean return of 10 episodes {np.mean(agent.returns[-10:]):.0f}", refresh=False)
    return losses


def draw(returns, good, file):
    """A picture of each episode's return and of the mean of the last 10."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    means = [np.mean(returns[max(0, last - 9) : last + 1]) for last in range(len(returns))]
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(returns, color="#c9b18a", linewidth=1, label="one episode")
    axes.plot(means, color="#8a2f0c", linewidth=2, label="mean of the last 10")
    axes.axhline(good, color="#555555", linewidth=1, linestyle=":", label="good")
    axes.set(title="TD3 on Pendulum-v1", xlabel="episode of 200 steps", ylabel="return")
    axes.legend(loc="lower right")
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


def write_logs(losses, returns, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for name, values in (("loss", losses), ("return", returns)):
            for step, value in enumerate(values):
                writer.add_scalar(name, value, step)


def main():
    arguments = parse_arguments()
    agent = Agent(arguments)
    start = time.perf_counter()
    losses = train(agent, arguments)
    speed = agent.steps / (time.perf_counter() - start)
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    draw(agent.returns, arguments.good, arguments.plot)
    if arguments.logs:
        write_logs(losses, agent.returns, arguments.logs)
    print(f"{len(agent.returns)} episodes, {agent.steps} steps, {speed:.0f} a second; learning curve: {arguments.plot}")
    found = evaluate(agent, 20)
    print(f"mean return of 20 greedy episodes: {found:.1f}")
    sys.exit(not found >= arguments.good)


if __name__ == "__main__":
    main()
