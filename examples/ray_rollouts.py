"""Actors of Ray play CartPole, one learner trains on what they saw, and its weights flow back to them.

Every round the learner puts its weights into Ray's object store once; each actor reads them there without a copy, plays
`--steps` steps with them and sends back tensors. The learner takes a few steps of proximal policy optimization (PPO) on
all of it, while nobody plays with weights older than one round.

    python examples/ray_rollouts.py                      two actors on this machine
    python examples/ray_rollouts.py --actors 16 --address auto      on the cluster that `ray start` has made

The program is plain PyTorch: `import torch` as its first import does as well.
"""

import rushlight as torch  # isort: skip

import argparse
import time

import gymnasium
import ray
from tqdm import tqdm

nn = torch.nn

BAR = "mean return of an episode {n:5.1f} of {total:.0f} |{bar}| {elapsed}{postfix}"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the networks, the actions and the environments")
    parser.add_argument("--actors", type=int, default=2, help="processes that play")
    parser.add_argument("--steps", type=int, default=512, help="steps that each actor plays in a round")
    parser.add_argument("--rounds", type=int, default=120, help="give up after this many")
    parser.add_argument("--solved", type=float, default=450.0, help="mean return of a round's episodes that is enough")
    parser.add_argument("--gamma", type=float, default=0.99, help="how much a reward is worth one step later")
    parser.add_argument("--smoothing", type=float, default=0.95, help="how far advantages look ahead")
    parser.add_argument("--lr", type=float, default=1e-3, help="rate of Adam")
    parser.add_argument("--address", help="of a cluster, or auto; one machine without it")
    parser.add_argument("--plot", default="ray_rollouts.png", metavar="FILE", help="where the learning curve goes")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


class ActorCritic(nn.Module):
    """What to do and what to expect, from the same four numbers about the pole."""

    def __init__(self):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
        self.critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, observations):
        """The distribution over the actions, and the expected returns, for observations (N, 4)."""
        policy = torch.distributions.Categorical(logits=self.actor(observations))
        return policy, self.critic(observations)[:, 0]


@ray.remote(num_cpus=1)
class Player:
    """Plays with the weights it is given."""

    def __init__(self, seed):
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.model = ActorCritic()
        self.environment = gymnasium.make("CartPole-v1")
        self.observation, _ = self.environment.reset(seed=seed)
        self.episode_return = 0.0

    @torch.no_grad()
    def play(self, weights, steps, gamma, smoothing):
        """`steps` steps: what was seen and done, how much better it went than expected, and finished returns."""
        self.model.load_state_dict(weights)
        observations, actions, log_probs, values, rewards, ends, returns = [], [], [], [], [], [], []
        for _ in range(steps):
            seen = torch.tensor(self.observation)
            policy, value = self.model(seen[None])
            action = policy.sample()
            self.observation, reward, terminated, truncated, _ = self.environment.step(action.item())
            self.episode_return += reward
            observations.append(seen)
            actions.append(action[0])
            log_probs.append(policy.log_prob(action)[0])
            values.append(value.item())
            rewards.append(float(reward))
            ends.append(terminated or truncated)
            if ends[-1]:
                returns.append(self.episode_return)
                self.episode_return = 0.0
                self.observation, _ = self.environment.reset()
        after = self.model(torch.tensor(self.observation)[None])[1].item()
        advantages = advantages_of(rewards, values, ends, after, gamma, smoothing)
        targets = advantages + torch.tensor(values)
        return torch.stack(observations), torch.stack(actions), torch.stack(log_probs), advantages, targets, returns


def advantages_of(rewards, values, ends, after, gamma, smoothing):
    """How much better each step went than expected, smoothed over the steps that followed it."""
    found, running, following = [], 0.0, after
    for reward, value, end in zip(reversed(rewards), reversed(values), reversed(ends), strict=True):
        if end:
            running = following = 0.0
        running = reward + gamma * following - value + gamma * smoothing * running
        following = value
        found.append(running)
    return torch.tensor(found[::-1])


def learn(model, optimizer, experience, epochs=6, parts=4):
    """A few passes over the experience, in which the policy moves no further than a fifth."""
    observations, actions, log_probs, advantages, targets = experience
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for _ in range(epochs):
        for rows in torch.randperm(len(actions)).chunk(parts):
            policy, values = model(observations[rows])
            ratio = (policy.log_prob(actions[rows]) - log_probs[rows]).exp()
            gain = torch.min(ratio * advantages[rows], ratio.clamp(0.8, 1.2) * advantages[rows])
            loss = -gain.mean() + 0.5 * nn.functional.smooth_l1_loss(values, targets[rows])
            loss = loss - 0.01 * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()


def train(arguments):
    """Play and learn in rounds; returns the mean returns, and how many steps were played in a second."""
    torch.manual_seed(arguments.seed)
    model = ActorCritic()
    optimizer = torch.optim.Adam(model.parameters(), lr=arguments.lr)
    players = [Player.remote(1000 * arguments.seed + number) for number in range(arguments.actors)]
    curve, played, playing = [], 0, 0.0
    bar = tqdm(total=arguments.solved, unit="return", disable=arguments.no_progress, bar_format=BAR)
    for _ in range(arguments.rounds):
        began = time.perf_counter()
        weights = ray.put(model.state_dict())
        options = (weights, arguments.steps, arguments.gamma, arguments.smoothing)
        *columns, returns = zip(*ray.get([each.play.remote(*options) for each in players]), strict=True)
        # the first round is spent on starting the processes
        if curve:
            playing += time.perf_counter() - began
            played += arguments.steps * arguments.actors
        learn(model, optimizer, [torch.cat(column) for column in columns])
        finished = [each for several in returns for each in several]
        curve.append(sum(finished) / len(finished) if finished else curve[-1] if curve else 0.0)
        bar.n = min(curve[-1], arguments.solved)
        bar.set_postfix_str(f"{len(curve)} rounds, {played / max(playing, 1e-9):.0f} steps a second")
        if curve[-1] >= arguments.solved:
            break
    bar.close()
    return curve, played / max(playing, 1e-9)


def draw(curve, file):
    """A picture of the mean return in each round."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.plot(curve)
    axes.set_xlabel("round")
    axes.set_ylabel("mean return of an episode")
    figure.tight_layout()
    figure.savefig(file, dpi=120)


def main():
    arguments = parse_arguments()
    ray.init(address=arguments.address, include_dashboard=False, logging_level="ERROR")
    curve, speed = train(arguments)
    print(f"mean return {curve[0]:.1f} at first, {max(curve):.1f} at best, {len(curve)} rounds")
    print(f"{arguments.actors} actors played {speed:.0f} steps a second")
    draw(curve, arguments.plot)
    ray.shutdown()


if __name__ == "__main__":
    main()
