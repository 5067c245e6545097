"""Advantage actor-critic (A2C) balances eight poles at once, and the baseline that must not learn from the actor.

The critic predicts how much reward is to come. What an action brought beyond that, its advantage, scales the gradient
of the action's log-probability. The prediction is there as a number, a baseline: the actor's loss must not reach the
critic through it, or the critic would learn to predict what makes the actor's loss small, not what is to come.
`detach` keeps the two apart. `--wrong` leaves it out; CartPole forgives that, so the gradients are counted in the end.

    python examples/a2c.py                  learn until solved, draw the learning curve
    python examples/a2c.py --wrong          the critic learns from the actor's loss too
    python examples/a2c.py --losses 50      print the first 50 losses and stop
    python examples/a2c.py --logs runs      write losses and returns for TensorBoard too

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
Categorical = torch.distributions.Categorical


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the networks, the actions and the environments")
    parser.add_argument("--steps", type=int, default=400_000, help="give up after this many environment steps")
    parser.add_argument("--solved", type=float, default=475.0, help="mean return of 20 episodes that is enough")
    parser.add_argument("--environments", type=int, default=8, help="played at once")
    parser.add_argument("--n-step", type=int, default=16, help="steps of each between two updates")
    parser.add_argument("--gamma", type=float, default=0.99, help="how much a reward is worth one step later")
    parser.add_argument("--lr", type=float, default=3e-3, help="learning rate at the start; it falls as returns rise")
    parser.add_argument("--entropy", type=float, default=0.01, help="weight of staying undecided")
    parser.add_argument("--wrong", action="store_true", help="let the actor's loss reach the critic")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="a2c.png", metavar="FILE", help="where the learning curve goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write losses and returns for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def network(outputs):
    """Four numbers about the pole in, `outputs` numbers out."""
    return nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


def make_environments(count):
    # an environment that ends starts anew in the same step, and tells in `final_obs` where it ended
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    options = {"autoreset_mode": mode}
    return gymnasium.make_vec("CartPole-v1", count, vectorization_mode="sync", vector_kwargs=options)


class Agent:
    """An actor and a critic, and the environments they learn in."""

    def __init__(self, arguments):
        self.arguments = arguments
        torch.manual_seed(arguments.seed)
        self.actor, self.critic = network(2), network(1)
        parameters = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=arguments.lr)
        self.environments = make_environments(arguments.environments)
        self.observation, _ = self.environments.reset(seed=arguments.seed)
        self.running = np.zeros(arguments.environments)
        self.returns = []
        self.steps = 0

    @torch.no_grad()
    def play(self):
        """`n_step` steps everywhere: observations (T, N, 4), actions, rewards and ends (T, N)."""
        lived = []
        for _ in range(self.arguments.n_step):
            action = Categorical(logits=self.actor(torch.from_numpy(self.observation))).sample()
            following, reward, terminated, truncated, info = self.environments.step(action.numpy())
            self.count(reward, terminated | truncated)
            # Rewards of 0.1 keep the returns near 10: a network starts near 0, and 100 would be a long way.
            reward = 0.1 * reward.astype(np.float32)
            late = truncated & ~terminated
            if late.any():
                # the time was up, not the episode: the critic says what would have come
                reward[late] += self.arguments.gamma * self.predict(np.stack(info["final_obs"][late])).numpy()
            lived.append((self.observation, action.numpy(), reward, terminated | truncated))
            self.observation = following
        return (torch.from_numpy(np.stack(each)) for each in zip(*lived, strict=True))

    def count(self, reward, ended):
        self.steps += len(reward)
        self.running += reward
        self.returns += self.running[ended].tolist()
        self.running[ended] = 0.0

    def predict(self, observation):
        return self.critic(torch.as_tensor(observation)).squeeze(-1)

    def compute_targets(self, rewards, ended):
        """The returns (T, N) after each step, ended by the critic's own guess."""
        target, targets = self.predict(self.observation), []
        for reward, end in zip(rewards.flip(0), ended.flip(0), strict=True):
            target = reward + self.arguments.gamma * target * ~end
            targets.append(target)
        return torch.stack(targets[::-1])

    def learn(self):
        """Play and update until solved, and yield the loss of each update."""
        while self.steps < self.arguments.steps and self.recent_return() < self.arguments.solved:
            observations, actions, rewards, ended = self.play()
            with torch.no_grad():
                targets = self.compute_targets(rewards, ended)
            loss = self.compute_loss(observations, actions, targets)
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5)
            nn.utils.clip_grad_norm_(self.actor.parameters(), 0.5)
            # Smaller steps the better it gets, so that a good policy is not thrown away again.
            for group in self.optimizer.param_groups:
                group["lr"] = self.arguments.lr * max(0.03, 1 - self.recent_return() / 500)
            self.optimizer.step()
            yield loss.item()

    def compute_loss(self, observations, actions, targets):
        policy, values = Categorical(logits=self.actor(observations)), self.predict(observations)
        actor_loss = self.compute_actor_loss(policy, actions, values, targets)
        return actor_loss + F.smooth_l1_loss(values, targets) - self.arguments.entropy * policy.entropy().mean()

    def compute_actor_loss(self, policy, actions, values, targets):
        # the baseline: how much better than the critic had thought, as a number
        advantages = targets - (values if self.arguments.wrong else values.detach())
        return -(policy.log_prob(actions) * advantages).mean()

    def recent_return(self):
        """Mean return of the last 20 episodes."""
        return float(np.mean(self.returns[-20:])) if len(self.returns) >= 20 else 0.0


def count_reached(agent):
    """How many parameters of the critic the actor's loss has a gradient for."""
    observations, actions, rewards, _ = agent.play()
    policy, values = Categorical(logits=agent.actor(observations)), agent.predict(observations)
    loss, parameters = agent.compute_actor_loss(policy, actions, values, rewards), list(agent.critic.parameters())
    found = torch.autograd.grad(loss, parameters, allow_unused=True)
    return sum(each is not None for each in found), len(found)


def evaluate(agent, episodes):
    """Mean return of episodes with greedy actions."""
    environment, total = gymnasium.make("CartPole-v1"), 0.0
    for episode in range(episodes):
        observation, _ = environment.reset(seed=1000 + episode)
        ended = False
        while not ended:
            with torch.no_grad():
                action = agent.actor(torch.from_numpy(observation)).argmax().item()
            observation, reward, terminated, truncated, _ = environment.step(action)
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
            bar.set_postfix_str(f"mean return of 20 episodes {agent.recent_return():.0f}", refresh=False)
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
    axes.set(title="A2C on CartPole-v1", xlabel="episode", ylabel="return", ylim=(0, 510))
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
    print("the actor's loss reaches {} of the critic's {} parameters".format(*count_reached(agent)))
    found = evaluate(agent, 20)
    print(f"mean return of 20 greedy episodes: {found:.1f}")
    sys.exit(not found >= arguments.solved)


if __name__ == "__main__":
    main()
