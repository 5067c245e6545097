"""REINFORCE balances CartPole: the oldest policy gradient, with nothing beside it.

The policy plays whole episodes. An action is made more likely the more reward came after it, less likely the less:
the gradient of its log-probability, scaled by that return. To tell much from little, the returns of a batch of episodes
are taken relative to their mean, in units of their spread.

    python examples/reinforce.py                  learn until solved, draw the learning curve
    python examples/reinforce.py --losses 50      print the first 50 losses and stop
    python examples/reinforce.py --logs runs      write losses and returns for TensorBoard too

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
Categorical = torch.distributions.Categorical


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the network, the actions and the environment")
    parser.add_argument("--steps", type=int, default=400_000, help="give up after this many environment steps")
    parser.add_argument("--solved", type=float, default=475.0, help="mean return of 20 episodes that is enough")
    parser.add_argument("--episodes", type=int, default=8, help="to play between two updates")
    parser.add_argument("--gamma", type=float, default=0.99, help="how much a reward is worth one step later")
    parser.add_argument("--lr", type=float, default=1e-2, help="learning rate at the start; it falls as returns rise")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="reinforce.png", metavar="FILE", help="where the learning curve goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write losses and returns for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


class Agent:
    """A policy, the episodes it plays, and how it learns from them."""

    def __init__(self, arguments):
        self.arguments = arguments
        torch.manual_seed(arguments.seed)
        self.policy = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=arguments.lr)
        self.environment = gymnasium.make("CartPole-v1")
        self.environment.reset(seed=arguments.seed)
        self.returns = []
        self.steps = 0

    @torch.no_grad()
    def act(self, observation):
        return Categorical(logits=self.policy(torch.from_numpy(observation))).sample().item()

    @torch.no_grad()
    def best(self, observation):
        return self.policy(torch.from_numpy(observation)).argmax().item()

    def play(self, act, seed=None):
        """One episode: observations, actions, and rewards."""
        observations, actions, rewards, ended = [], [], [], False
        observation, _ = self.environment.reset(seed=seed)
        while not ended:
            observations.append(observation)
            actions.append(act(observation))
            observation, reward, terminated, truncated, _ = self.environment.step(actions[-1])
            rewards.append(float(reward))
            ended = terminated or truncated
        return observations, actions, rewards

    def learn(self):
        """Play and update until solved, and yield the loss of each update."""
        while self.steps < self.arguments.steps and self.recent_return() < self.arguments.solved:
            observations, actions, returns = [], [], []
            for _ in range(self.arguments.episodes):
                seen, done, rewards = self.play(self.act)
                observations += seen
                actions += done
                returns += discount(rewards, self.arguments.gamma)
                self.returns.append(sum(rewards))
            self.steps += len(actions)
            yield self.update(np.stack(observations), actions, returns)

    def update(self, observations, actions, returns):
        """One gradient step on all steps of a batch of episodes."""
        returns = torch.tensor(returns)
        policy = Categorical(logits=self.policy(torch.from_numpy(observations)))
        loss = -(policy.log_prob(torch.tensor(actions)) * (returns - returns.mean()) / returns.std()).mean()
        self.optimizer.zero_grad()
        loss.backward()
        # Smaller steps the better it gets, so that a good policy is not thrown away again.
        for group in self.optimizer.param_groups:
            group["lr"] = self.arguments.lr * max(0.05, 1 - self.recent_return() / 500)
        self.optimizer.step()
        return loss.item()

    def recent_return(self):
        """Mean return of the last 20 episodes."""
        return float(np.mean(self.returns[-20:])) if len(self.returns) >= 20 else 0.0


def discount(rewards, gamma):
    """For each step, the reward from there on, later ones for less."""
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + gamma * total
        returns.append(total)
    return returns[::-1]


def train(agent, arguments):
    """The losses of all updates, with a bar of the steps."""
    losses, quiet = [], arguments.no_progress or arguments.losses is not None
    with tqdm(total=arguments.steps, unit="step", disable=quiet) as bar:
        for loss in islice(agent.learn(), arguments.losses):
            losses.append(loss)
            bar.update(agent.steps - bar.n)
            bar.set_postfix_str(f"mean return of 20 episodes {agent.recent_return():.0f}")
    return losses


def draw(returns, solved, file):
    """A picture of each episode's return and of the mean of the last 20."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    means = [np.mean(returns[max(0, last - 19) : last + 1]) for last in range(len(returns))]
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(returns, color="#c9b18a", linewidth=1, label="one episode")
    axes.plot(means, color="#8a2f0c", linewidth=2, label="mean of the last 20")
    axes.axhline(solved, color="#555555", linewidth=1, linestyle=":", label="solved")
    axes.set(title="REINFORCE on CartPole-v1", xlabel="episode", ylabel="return", ylim=(0, 510))
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
    draw(agent.returns, arguments.solved, arguments.plot)
    if arguments.logs:
        write_logs(losses, agent.returns, arguments.logs)
    print(f"{len(agent.returns)} episodes, {agent.steps} steps, {speed:.0f} a second; learning curve: {arguments.plot}")
    found = float(np.mean([sum(agent.play(agent.best, seed=1000 + episode)[2]) for episode in range(20)]))
    print(f"mean return of 20 greedy episodes: {found:.1f}")
    sys.exit(not found >= arguments.solved)


if __name__ == "__main__":
    main()
