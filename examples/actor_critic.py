"""An n-step actor-critic learns to balance CartPole, and the mistake that keeps many of them from learning.

The actor chooses actions, the critic predicts how much reward is still to come. Every `--n-step` steps both
learn from what just happened: the critic from its temporal-difference (TD) error, the actor from whether an
action turned out better than the critic had expected.

    python examples/actor_critic.py                  learn until solved, draw the learning curve
    python examples/actor_critic.py --losses 50      print the first 50 losses and stop
    python -m rushlight doctor examples/actor_critic.py --wrong --losses 10      the mistake, and who finds it

The program is plain PyTorch: with `import torch` as its first import it prints the same losses.
"""

import rushlight as torch  # isort: skip

import argparse
import importlib
import sys
import time
import warnings
from collections import deque, namedtuple

import gymnasium
from tqdm import tqdm

nn = torch.nn
F = torch.nn.functional

BAR = "mean return of 20 episodes {n:5.1f} of {total:.0f} |{bar}| {elapsed}{postfix}"

# One step as the agent lived it. `log_prob`, `entropy` and `value` are tensors that remember how the networks
# made them: that memory is what the gradients travel along.
Transition = namedtuple("Transition", "log_prob entropy value reward")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the networks, the actions and the environment")
    parser.add_argument("--episodes", type=int, default=2000, help="give up after this many")
    parser.add_argument("--steps", type=int, default=400_000, help="give up after this many environment steps")
    parser.add_argument("--solved", type=float, default=475.0, help="mean return of 20 episodes that is enough")
    parser.add_argument("--n-step", type=int, default=64, help="steps between two updates")
    parser.add_argument("--gamma", type=float, default=0.99, help="how much a reward is worth one step later")
    parser.add_argument("--lr", type=float, default=3e-3, help="learning rate at the start; it falls as returns rise")
    parser.add_argument("--entropy", type=float, default=0.01, help="weight of staying undecided")
    parser.add_argument("--losses", type=int, default=None, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--wrong", action="store_true", help="make the mistake: the critic never learns")
    parser.add_argument("--plot", default="actor_critic.png", metavar="FILE", help="where the learning curve goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write losses and returns for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def network(outputs):
    """Four numbers about the pole in, `outputs` numbers out."""
    return nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


class ActorCritic(nn.Module):
    """Two networks that see the same observation (4,)."""

    def __init__(self):
        super().__init__()
        self.actor = network(2)
        self.critic = network(1)

    def forward(self, observation):
        """The distribution over the two actions, and the predicted return, a tensor of shape ()."""
        policy = torch.distributions.Categorical(logits=self.actor(observation))
        return policy, self.critic(observation)[0]


def compute_n_step_returns(rewards, value_after, gamma):
    """The TD targets: each reward plus the discounted ones after it, ended by the critic's own guess."""
    targets = []
    target = value_after
    for reward in reversed(rewards):
        target = reward + gamma * target
        targets.append(target)
    return tuple(reversed(targets))


def compute_loss(trajectory, td_targets, entropy_weight, wrong=False):
    """One number to make smaller: the actor's loss, the critic's, and a little reward for trying things."""
    critic_predicted_values = tuple(step.value for step in trajectory)
    targets = torch.tensor(td_targets)

    # An advantage is how much better it went than the critic expected. The actor takes it as a given number,
    # so the critic's history is left out on purpose, with detach().
    advantages = targets - torch.stack(critic_predicted_values).detach()
    actor_loss = [-step.log_prob * advantage for step, advantage in zip(trajectory, advantages, strict=True)]

    # The critic must learn from its own predictions, so their history has to stay: a list of losses, stacked.
    td_error = [
        F.smooth_l1_loss(prediction, target)
        for prediction, target in zip(critic_predicted_values, targets, strict=True)
    ]
    critic_loss = torch.stack(td_error).mean()
    if wrong:
        # the same number, and the critic never learns: torch.tensor makes a new tensor out of bare values
        critic_loss = F.smooth_l1_loss(torch.tensor(critic_predicted_values), targets)
    entropy = torch.stack([step.entropy for step in trajectory]).mean()
    return torch.stack(actor_loss).mean() + critic_loss - entropy_weight * entropy


class Agent:
    """Plays CartPole step by step and learns after every few of them."""

    def __init__(self, arguments):
        self.arguments = arguments
        torch.manual_seed(arguments.seed)
        self.model = ActorCritic()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=arguments.lr)
        self.environment = gymnasium.make("CartPole-v1")
        self.observation = self.start_episode(seed=arguments.seed)
        self.episode_return = 0.0
        self.returns = []
        self.losses = []
        self.steps = 0

    def start_episode(self, seed=None):
        observation, _ = self.environment.reset(seed=seed)
        return torch.tensor(observation)

    def play(self):
        """Up to `n_step` steps of one episode, and the value of where they end."""
        trajectory = []
        for _ in range(self.arguments.n_step):
            policy, value = self.model(self.observation)
            action = policy.sample()
            observation, reward, terminated, truncated, _ = self.environment.step(action.item())
            # Rewards of 0.1 keep the returns near 10: a network starts near 0, and 100 would be a long way.
            trajectory.append(Transition(policy.log_prob(action), policy.entropy(), value, 0.1 * float(reward)))
            self.observation = torch.tensor(observation)
            self.episode_return += float(reward)
            self.steps += 1
            if terminated or truncated:
                # The pole fell: nothing more to come. The time was up: the critic says what would have.
                value_after = 0.0 if terminated else self.predict()
                self.returns.append(self.episode_return)
                self.episode_return = 0.0
                self.observation = self.start_episode()
                return trajectory, value_after
        return trajectory, self.predict()

    def predict(self):
        with torch.no_grad():
            _, value = self.model(self.observation)
        return value.item()

    def learn(self, trajectory, value_after):
        """One gradient step on one trajectory."""
        rewards = [step.reward for step in trajectory]
        td_targets = compute_n_step_returns(rewards, value_after, self.arguments.gamma)
        loss = compute_loss(trajectory, td_targets, self.arguments.entropy, self.arguments.wrong)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
        # Smaller steps the better it gets, so that a good policy is not thrown away again.
        for group in self.optimizer.param_groups:
            group["lr"] = self.arguments.lr * max(0.03, 1 - self.recent_return() / 500)
        self.optimizer.step()
        self.losses.append(loss.item())

    def recent_return(self):
        """Mean return of the last 20 episodes."""
        recent = self.returns[-20:]
        return sum(recent) / len(recent) if recent else 0.0

    def finished(self):
        arguments = self.arguments
        if arguments.losses is not None and len(self.losses) >= arguments.losses:
            return True
        if self.steps >= arguments.steps or len(self.returns) >= arguments.episodes:
            return True
        return len(self.returns) >= 20 and self.recent_return() >= arguments.solved


def train(arguments):
    """Play and learn until CartPole is solved or a limit is reached."""
    agent = Agent(arguments)
    bar = tqdm(
        total=arguments.solved,
        unit="return",
        disable=arguments.no_progress or arguments.losses is not None,
        bar_format=BAR,
    )
    while not agent.finished():
        trajectory, value_after = agent.play()
        agent.learn(trajectory, value_after)
        bar.n = min(agent.recent_return(), arguments.solved)
        bar.set_postfix_str(f"{len(agent.returns)} episodes, {agent.steps} steps")
    bar.close()
    return agent


def draw_learning_curve(returns, file):
    """A picture of each episode's return and of the mean of the last 20."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    recent = deque(maxlen=20)
    means = []
    for value in returns:
        recent.append(value)
        means.append(sum(recent) / len(recent))
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(returns, color="#c9b18a", linewidth=1, label="one episode")
    axes.plot(means, color="#8a2f0c", linewidth=2, label="mean of the last 20")
    axes.axhline(475, color="#555555", linewidth=1, linestyle=":", label="solved")
    axes.set(title="Actor-critic on CartPole-v1", xlabel="episode", ylabel="return", ylim=(0, 510))
    axes.legend(loc="upper left")
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


def write_logs(losses, returns, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for name, values in (("loss", losses), ("return", returns)):
            for step, value in enumerate(values):
                writer.add_scalar(name, value, step)


def show_the_pitfall():
    """The critic's loss written the tempting way: `torch.tensor` of a container of predictions.

    `torch.tensor` makes a new tensor out of bare numbers: the predictions forget the critic that made them,
    and the critic never learns. With `requires_grad=True` not even backward() objects.
    """
    critic = network(1)
    critic_predicted_values = tuple(critic(observation)[0] for observation in torch.randn(3, 4))
    td_targets = torch.tensor([1.0, 0.9, 0.8])

    def wrong():
        td_error = td_targets - torch.tensor(critic_predicted_values)
        (td_error * td_error).mean().backward()

    def wrong_and_silent():
        td_error = td_targets - torch.tensor(critic_predicted_values, requires_grad=True)
        (td_error * td_error).mean().backward()

    def right():
        td_error = [target - value for target, value in zip(td_targets, critic_predicted_values, strict=True)]
        (torch.stack(td_error) ** 2).mean().backward()

    for title, attempt in [
        ("torch.tensor(critic_predicted_values)", wrong),
        ("torch.tensor(critic_predicted_values, requires_grad=True)", wrong_and_silent),
        ("torch.stack of the differences", right),
    ]:
        print(f"\n--- {title}")
        failure = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                attempt()
            except RuntimeError as error:
                failure = error
        for warning in caught:
            print(f"{warning.category.__name__}, line {warning.lineno}: {warning.message}")
        if failure is not None:
            print(f"RuntimeError: {failure}")
        parameters = list(critic.parameters())
        learning = sum(parameter.grad is not None for parameter in parameters)
        print(f"{learning} of the critic's {len(parameters)} parameters received a gradient")


def main():
    arguments = parse_arguments()
    start = time.perf_counter()
    agent = train(arguments)
    seconds = time.perf_counter() - start
    if arguments.losses is not None:
        for loss in agent.losses:
            print(f"{loss:.6f}")
        return
    solved = agent.recent_return() >= arguments.solved
    print(f"mean return of the last 20 episodes: {agent.recent_return():.1f}", "(solved)" if solved else "")
    print(f"after {len(agent.returns)} episodes, {agent.steps} steps, {agent.steps / seconds:.0f} a second")
    draw_learning_curve(agent.returns, arguments.plot)
    print(f"learning curve: {arguments.plot}")
    if arguments.logs:
        write_logs(agent.losses, agent.returns, arguments.logs)
    print("\nAnd this is how an agent like this one fails to learn:")
    show_the_pitfall()
    sys.exit(not solved)


if __name__ == "__main__":
    main()
