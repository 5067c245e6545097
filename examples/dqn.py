"""A deep Q-network (DQN) balances CartPole: it learns what each action is worth, and does the better one.

Every step is kept in a memory, and at every other step the network learns from a handful of old ones. What an action
is worth is its reward and the worth of the best action after it. That is asked of a second network, the target, which
follows now and then: a network that chases its own predictions runs away. The first one says which action is best, the
second what it is worth (double DQN), so that no lucky guess is believed twice.

    python examples/dqn.py                  learn until solved, draw the learning curve
    python examples/dqn.py --losses 50      print the first 50 losses and stop
    python examples/dqn.py --logs runs      write losses and returns for TensorBoard too

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

# what is remembered of a step: observation, action, reward, next observation, whether the pole fell
SIZES = (4, 1, 1, 4, 1)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the networks, the actions and the environment")
    parser.add_argument("--steps", type=int, default=60_000, help="give up after this many environment steps")
    parser.add_argument("--random-steps", type=int, default=500, help="steps at the start with random actions")
    parser.add_argument("--exploration", type=int, default=8000, help="steps until one action in 25 is random")
    parser.add_argument("--every", type=int, default=2, help="steps between two updates")
    parser.add_argument("--batch", type=int, default=64, help="remembered steps in one update")
    parser.add_argument("--hidden", type=int, default=128, help="units in each of two hidden layers")
    parser.add_argument("--gamma", type=float, default=0.99, help="how much a reward is worth one step later")
    parser.add_argument("--follow", type=int, default=250, help="steps after which the target is the network again")
    parser.add_argument("--lr", type=float, default=2e-3, help="learning rate at the start; it falls to a tenth")
    parser.add_argument("--check", type=int, default=2000, help="steps between two looks whether it is solved")
    parser.add_argument("--good", type=float, default=475.0, help="mean return of 20 greedy episodes that is enough")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="dqn.png", metavar="FILE", help="where the learning curve goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write losses and returns for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def make_network(hidden):
    """From observations (N, 4) to the worth of both actions (N, 2)."""
    return nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 2))


class Memory:
    """The steps that were lived, one in a row."""

    def __init__(self, steps, random):
        self.rows = np.zeros((steps, sum(SIZES)), np.float32)
        self.count = 0
        self.random = random

    def keep(self, observation, action, reward, following, ended):
        self.rows[self.count] = np.concatenate([observation, [action, reward], following, [ended]])
        self.count += 1

    def recall(self, number):
        """Some of the steps at random: a tensor (N, size) for each of SIZES."""
        rows = self.rows[self.random.integers(self.count, size=number)]
        return torch.from_numpy(rows).split(SIZES, -1)


class Agent:
    """The two networks, what they have lived through, and how they learn."""

    def __init__(self, arguments):
        self.arguments = arguments
        torch.manual_seed(arguments.seed)
        self.random = np.random.default_rng(arguments.seed)
        self.network, self.target = make_network(arguments.hidden), make_network(arguments.hidden)
        self.target.load_state_dict(self.network.state_dict())
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=arguments.lr)
        self.scheduler = torch.optim.lr_scheduler.LinearLR(self.optimizer, 1.0, 0.1, arguments.steps // arguments.every)
        self.memory = Memory(arguments.steps, self.random)
        self.environment = gymnasium.make("CartPole-v1")
        self.returns = []
        self.steps = 0

    def act(self, observation):
        """The best action, or now and then any other."""
        curious = max(0.04, 1 - self.steps / self.arguments.exploration)
        if self.random.random() < curious:
            return int(self.random.integers(2))
        return self.best(observation)

    @torch.no_grad()
    def best(self, observation):
        return self.network(torch.from_numpy(observation)).argmax().item()

    def learn(self):
        """Play and update, and yield the loss of each update."""
        arguments = self.arguments
        observation, _ = self.environment.reset(seed=arguments.seed)
        total = 0.0
        while self.steps < arguments.steps:
            action = self.act(observation)
            following, reward, fell, time_is_up, _ = self.environment.step(action)
            # rewards of a tenth keep returns near those that a network starts with
            self.memory.keep(observation, action, 0.1 * float(reward), following, fell)
            observation, total = following, total + float(reward)
            self.steps += 1
            if fell or time_is_up:
                self.returns.append(total)
                observation, _ = self.environment.reset()
                total = 0.0
            if self.steps > arguments.random_steps and self.steps % arguments.every == 0:
                yield self.update(*self.memory.recall(arguments.batch))
            if self.steps % arguments.follow == 0:
                self.target.load_state_dict(self.network.state_dict())
            if self.steps % arguments.check == 0 and evaluate(self, 5, first=2000) >= arguments.good:
                return

    def update(self, observation, action, reward, following, fell):
        """One gradient step on some of the remembered steps."""
        with torch.no_grad():
            best = self.network(following).argmax(1, keepdim=True)
            expected = reward + self.arguments.gamma * (1 - fell) * self.target(following).gather(1, best)
        loss = F.smooth_l1_loss(self.network(observation).gather(1, action.long()), expected)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()


def evaluate(agent, episodes, first=1000):
    """Mean return of episodes with greedy actions, with seeds from `first` on."""
    environment, total = gymnasium.make("CartPole-v1"), 0.0
    for episode in range(episodes):
        observation, _ = environment.reset(seed=first + episode)
        ended = False
        while not ended:
            observation, reward, terminated, truncated, _ = environment.step(agent.best(observation))
            total += float(reward)
            ended = terminated or truncated
    return total / episodes


def train(agent, arguments):
    """The losses of all updates, with a bar of the steps."""
    losses, quiet = [], arguments.no_progress or arguments.losses is not None
    with tqdm(total=arguments.steps, unit="step", disable=quiet) as bar:
        for loss in islice(agent.learn(), arguments.losses):
            losses.append(loss)
            bar.update(agent.steps - bar.n)
            bar.set_postfix_str(f"mean return of 20 episodes {np.mean(agent.returns[-20:]):.0f}", refresh=False)
    return losses


def draw(returns, good, file):
    """A picture of each episode's return and of the mean of the last 20."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    means = [np.mean(returns[max(0, last - 19) : last + 1]) for last in range(len(returns))]
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(returns, color="#c9b18a", linewidth=1, label="one episode")
    axes.plot(means, color="#8a2f0c", linewidth=2, label="mean of the last 20")
    axes.axhline(good, color="#555555", linewidth=1, linestyle=":", label="solved")
    axes.set(title="DQN on CartPole-v1", xlabel="episode", ylabel="return", ylim=(0, 510))
    axes.legend(loc="upper left")
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
