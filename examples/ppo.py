"""Proximal policy optimization (PPO) balances eight poles at once, and learns several times from the same steps.

A plain policy gradient may use its steps once: after an update they were played by another policy. PPO goes over them
again and again, and keeps the policy near the one that played: where the ratio of the two probabilities of an action
leaves [1 - clip, 1 + clip], the gradient ends. Advantages are summed with a decay (GAE) over the steps that follow.

    python examples/ppo.py                  learn until solved, draw the learning curve
    python examples/ppo.py --losses 50      print the first 50 losses and stop
    python examples/ppo.py --logs runs      write losses and returns for TensorBoard too

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
    parser.add_argument("--n-step", type=int, default=64, help="steps of each before they are learned from")
    parser.add_argument("--epochs", type=int, default=8, help="how often they are learned from")
    parser.add_argument("--batch", type=int, default=128, help="steps in one update")
    parser.add_argument("--clip", type=float, default=0.2, help="how far a probability may move, as a ratio")
    parser.add_argument("--gamma", type=float, default=0.99, help="how much a reward is worth one step later")
    parser.add_argument("--decay", type=float, default=0.95, help="of the errors that an advantage sums up")
    parser.add_argument("--lr", type=float, default=2e-3, help="learning rate at the start; it falls as returns rise")
    parser.add_argument("--entropy", type=float, default=0.01, help="weight of staying undecided")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="ppo.png", metavar="FILE", help="where the learning curve goes")
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

    @torch.no_grad()
    def judge(self, observations, rewards, ended):
        """The advantages (T, N) of what was done, and the returns (T, N) to predict."""
        gamma, values = self.arguments.gamma, self.predict(observations)
        value_after, advantage, advantages = self.predict(self.observation), 0.0, []
        for reward, end, value in zip(rewards.flip(0), ended.flip(0), values.flip(0), strict=True):
            error = reward + gamma * value_after * ~end - value
            advantage = error + gamma * self.arguments.decay * advantage * ~end
            advantages.append(advantage)
            value_after = value
        advantages = torch.stack(advantages[::-1])
        return advantages, advantages + values

    def learn(self):
        """Play and update until solved, and yield the loss of each update."""
        arguments = self.arguments
        while self.steps < arguments.steps and self.recent_return() < arguments.solved:
            observations, actions, rewards, ended = self.play()
            with torch.no_grad():
                log_prob = Categorical(logits=self.actor(observations)).log_prob(actions)
            lived = (observations, actions, log_prob, *self.judge(observations, rewards, ended))
            lived = [each.flatten(0, 1) for each in lived]
            # Smaller steps the better it gets, so that a good policy is not thrown away again.
            for group in self.optimizer.param_groups:
                group["lr"] = arguments.lr * max(0.03, 1 - self.recent_return() / 500)
            for _ in range(arguments.epochs):
                for chosen in torch.randperm(len(lived[0])).split(arguments.batch):
                    yield self.update(*(each[chosen] for each in lived))

    def update(self, observations, actions, old_log_prob, advantages, targets):
        """One gradient step on some of the steps."""
        clip, policy = self.arguments.clip, Categorical(logits=self.actor(observations))
        ratio = (policy.log_prob(actions) - old_log_prob).exp()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        actor_loss = -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages).mean()
        critic_loss = F.smooth_l1_loss(self.predict(observations), targets)
        loss = actor_loss + critic_loss - self.arguments.entropy * policy.entropy().mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5)
        nn.utils.clip_grad_norm_(self.actor.parameters(), 0.5)
        self.optimizer.step()
        return loss.item()

    def recent_return(self):
        """Mean return of the last 20 episodes."""
        return float(np.mean(self.returns[-20:])) if len(self.returns) >= 20 else 0.0


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
    axes.set(title="PPO on CartPole-v1", xlabel="episode", ylabel="return", ylim=(0, 510))
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
    found = evaluate(agent, 20)
    print(f"mean return of 20 greedy episodes: {found:.1f}")
    sys.exit(not found >= arguments.solved)


if __name__ == "__main__":
    main()
