"""Soft actor-critic learns to swing a pendulum up, with actions that a tanh keeps in their bounds.

The actor draws actions from a squashed normal distribution; two critics predict how much reward is to come, and the
more sceptical one is believed. Reward for staying undecided (entropy) keeps the actor trying things; how much, it
finds out by itself. Every step is kept in a memory, and every step all of them learn from a handful of old ones.

    python examples/sac.py                     learn for 20,000 steps (half a minute), draw the learning curve
    python examples/sac.py --inverse numeric   the same with atanh(tanh(x)) in place of x
    python examples/sac.py --losses 50         print the first 50 losses of the critics and stop

The log-probability of an action needs the number whose tanh it is. Rushlight's transforms remember it. Computed back
from the action it is wrong or infinite where tanh has saturated, and a pendulum is swung up with all the force there
is: with `--inverse numeric`, PyTorch's default, the first infinite number ends the training.

The program also runs under PyTorch, with `import torch` as its first import.
"""

import rushlight as torch  # isort: skip

import argparse
import importlib
import sys
import time

import gymnasium
import numpy as np

try:
    from tqdm import tqdm
except ImportError:
    tqdm = None

nn = torch.nn
F = torch.nn.functional
distributions = torch.distributions

LOW, HIGH = -2.0, 2.0  # the torque at the joint
# what is remembered of a step: observation, action, reward, next observation, whether it ended
SIZES = (3, 1, 1, 3, 1)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the networks, the actions and the environment")
    parser.add_argument("--steps", type=int, default=20_000, help="environment steps, each followed by an update")
    parser.add_argument("--random-steps", type=int, default=500, help="steps at the start with random actions")
    parser.add_argument("--batch", type=int, default=128, help="remembered steps in one update")
    parser.add_argument("--hidden", type=int, default=64, help="units in each of two hidden layers")
    parser.add_argument("--gamma", type=float, default=0.99, help="how much a reward is worth one step later")
    parser.add_argument("--tau", type=float, default=0.01, help="how fast the target critics follow")
    parser.add_argument("--lr", type=float, default=1e-3, help="learning rate of everything")
    parser.add_argument("--inverse", choices=("exact", "numeric"), default="exact", help="how an action is undone")
    parser.add_argument("--evaluate", type=int, default=20, metavar="N", help="greedy episodes at the end")
    parser.add_argument("--good", type=float, default=-200.0, help="mean return of these that is enough")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="sac.png", metavar="FILE", help="where the learning curve goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write losses and returns for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def network(inputs, hidden, *last):
    """Two hidden layers, and what comes after them."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), *last)


class Projection(nn.Module):
    """What `distributions.NormalProjection` does, put together from PyTorch's parts.

    They invert exactly with `cache_size=1`; PyTorch's default is 0.
    """

    def __init__(self, inputs, actions, low, high, cache_size):
        super().__init__()
        self.mean, self.scale = nn.Linear(inputs, actions), nn.Linear(inputs, actions)
        self.middle, self.half, self.cache_size = (high + low) / 2, (high - low) / 2, cache_size

    def forward(self, features):
        normal = distributions.Normal(self.mean(features), (self.scale(features).tanh() * 3.5 - 1.5).exp())
        squash = distributions.TanhTransform(cache_size=self.cache_size)
        stretch = distributions.AffineTransform(self.middle, self.half, cache_size=self.cache_size)
        return distributions.Independent(distributions.TransformedDistribution(normal, [squash, stretch]), 1)


class Actor(nn.Module):
    """From observations (*, 3) to a distribution over actions (*, 1)."""

    def __init__(self, hidden, inverse):
        super().__init__()
        if inverse == "exact" and hasattr(distributions, "NormalProjection"):
            last = distributions.NormalProjection(hidden, 1, LOW, HIGH)
        else:
            last = Projection(hidden, 1, LOW, HIGH, cache_size=int(inverse == "exact"))
        self.layers = network(3, hidden, last)

    def forward(self, observation):
        return self.layers(observation)

    def best(self, observation):
        """The greedy action: the squashed mean."""
        policy = self(observation).base_dist
        return HIGH * policy.base_dist.mean.tanh()


class Critics(nn.Module):
    """Two opinions about the return after an action: two tensors (N, 1)."""

    def __init__(self, hidden):
        super().__init__()
        self.one = network(4, hidden, nn.Linear(hidden, 1))
        self.other = network(4, hidden, nn.Linear(hidden, 1))

    def forward(self, observation, action):
        both = torch.cat([observation, action], -1)
        return self.one(both), self.other(both)


class Memory:
    """The steps that were lived, one in a row."""

    def __init__(self, steps, seed):
        self.rows = np.zeros((steps, sum(SIZES)), np.float32)
        self.count = 0
        self.random = np.random.default_rng(seed)

    def keep(self, observation, action, reward, following, ended):
        self.rows[self.count] = np.concatenate([observation, action, [reward], following, [ended]])
        self.count += 1

    def recall(self, number):
        """Some of the steps at random: a tensor (N, size) for each of SIZES."""
        rows = self.rows[self.random.integers(self.count, size=number)]
        return torch.from_numpy(rows).split(SIZES, -1)


class Agent:
    """The networks, their optimizers, and how they learn."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.losses = []  # of the critics
        torch.manual_seed(arguments.seed)
        self.actor = Actor(arguments.hidden, arguments.inverse)
        self.critics, self.targets = Critics(arguments.hidden), Critics(arguments.hidden)
        self.targets.load_state_dict(self.critics.state_dict())
        self.log_weight = torch.zeros(1, requires_grad=True)  # of the entropy
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=arguments.lr)
        self.critic_optimizer = torch.optim.Adam(self.critics.parameters(), lr=arguments.lr)
        self.weight_optimizer = torch.optim.Adam([self.log_weight], lr=arguments.lr)

    def act(self, observation):
        with torch.no_grad():
            return self.actor(torch.from_numpy(observation)).sample().numpy()

    def learn(self, observation, action, reward, following, ended):
        """One gradient step for everything."""
        weight = self.log_weight.exp().detach()
        self.learn_returns(observation, action, self.expected(reward, following, ended, weight))
        log_prob = self.learn_actions(observation, weight)
        # the entropy is to be minus the number of actions: less undecided, more weight
        surplus = (log_prob - 1).detach()
        step(self.weight_optimizer, -(self.log_weight * surplus).mean())
        with torch.no_grad():
            for target, source in zip(self.targets.parameters(), self.critics.parameters(), strict=True):
                target.lerp_(source, self.arguments.tau)

    def expected(self, reward, following, ended, weight):
        """The return that the more sceptical target critic expects, if the actor goes on as it does now."""
        with torch.no_grad():
            policy = self.actor(following)
            action = policy.sample()
            value = torch.minimum(*self.targets(following, action)) - weight * policy.log_prob(action).unsqueeze(-1)
            return reward + self.arguments.gamma * (1 - ended) * value

    def learn_returns(self, observation, action, expected):
        one, other = self.critics(observation, action)
        loss = F.mse_loss(one, expected) + F.mse_loss(other, expected)
        step(self.critic_optimizer, loss)
        self.losses.append(loss.item())

    def learn_actions(self, observation, weight):
        """Actions that are worth more, and less predictable; the gradient goes through the action itself."""
        policy = self.actor(observation)
        action = policy.rsample()
        log_prob = policy.log_prob(action).unsqueeze(-1)
        value = torch.minimum(*self.critics(observation, action))
        step(self.actor_optimizer, (weight * log_prob - value).mean())
        return log_prob


def step(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def train(arguments, agent, returns):
    """Live and learn, adding each episode's return to the list; the steps per second."""
    environment = gymnasium.make("Pendulum-v1")
    environment.action_space.seed(arguments.seed)
    observation, _ = environment.reset(seed=arguments.seed)
    memory = Memory(arguments.steps, arguments.seed)
    episode_return, start = 0.0, time.perf_counter()
    bar = None
    if tqdm is not None and not arguments.no_progress and arguments.losses is None:
        bar = tqdm(total=arguments.steps, unit="step")
    for number in range(arguments.steps):
        random = number < arguments.random_steps
        action = environment.action_space.sample() if random else agent.act(observation)
        following, reward, ended, time_is_up, _ = environment.step(action)
        # rewards of a tenth keep returns near those that a network starts with
        memory.keep(observation, action, 0.1 * float(reward), following, ended)
        observation, episode_return = following, episode_return + float(reward)
        if ended or time_is_up:
            returns.append(episode_return)
            episode_return = 0.0
            observation, _ = environment.reset()
            if bar is not None:
                bar.set_postfix_str(f"mean return of 10 episodes {np.mean(returns[-10:]):.0f}")
        if not random:
            agent.learn(*memory.recall(arguments.batch))
        if len(agent.losses) == arguments.losses:
            break
        if bar is not None:
            bar.update()
    if bar is not None:
        bar.close()
    return arguments.steps / (time.perf_counter() - start)


def evaluate(arguments, agent):
    """Returns of episodes with greedy actions."""
    environment = gymnasium.make("Pendulum-v1")
    returns = []
    for episode in range(arguments.evaluate):
        observation, _ = environment.reset(seed=1000 + episode)
        total, time_is_up = 0.0, False
        while not time_is_up:
            with torch.no_grad():
                action = agent.actor.best(torch.from_numpy(observation)).numpy()
            observation, reward, _, time_is_up, _ = environment.step(action)
            total += float(reward)
        returns.append(total)
    return returns


def draw_learning_curve(returns, good, file):
    """A picture of each episode's return and of the mean of the last ten."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    means = [np.mean(returns[max(0, last - 9) : last + 1]) for last in range(len(returns))]
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(returns, color="#c9b18a", linewidth=1, label="one episode")
    axes.plot(means, color="#8a2f0c", linewidth=2, label="mean of the last 10")
    axes.axhline(good, color="#555555", linewidth=1, linestyle=":", label="good")
    axes.set(title="Soft actor-critic on Pendulum-v1", xlabel="episode of 200 steps", ylabel="return")
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
    agent, returns = Agent(arguments), []
    try:
        speed = train(arguments, agent, returns)
    except ValueError as error:
        # a distribution refuses parameters that are no numbers any more
        sys.exit(f"the training broke in episode {len(returns) + 1}: {error}")
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in agent.losses), sep="\n")
        return
    draw_learning_curve(returns, arguments.good, arguments.plot)
    if arguments.logs:
        write_logs(agent.losses, returns, arguments.logs)
    print(f"{arguments.steps} steps, {speed:.0f} a second; learning curve: {arguments.plot}")
    found = float(np.mean(evaluate(arguments, agent)))
    print(f"mean return of {arguments.evaluate} greedy episodes: {found:.1f}")
    sys.exit(not found >= arguments.good)


if __name__ == "__main__":
    main()
