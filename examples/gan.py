"""A generative adversarial network learns eight clouds of points, and where its two halves must not learn.

The generator makes points out of noise, the discriminator tells them from true ones. Each is trained by a loss that
goes through the other, and must leave the other alone:

- The discriminator learns from `generator(noise).detach()`: the points as they are, without the way they were made.
- The generator learns through the discriminator, whose own parameters are switched off by `requires_grad_(False)`: the
  gradient passes through it, and none is computed for it.

    python examples/gan.py                  learn for 4,000 steps, draw the points at five moments
    python examples/gan.py --losses 50      print the first 50 losses of both, added, and stop
    python examples/gan.py --logs runs      write the losses for TensorBoard too

The program is plain PyTorch: with `import torch` as its first import it prints the same losses.
"""

import rushlight as torch  # isort: skip

import argparse
import importlib
import math
from itertools import islice

from tqdm import tqdm

nn = torch.nn
F = torch.nn.functional


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the networks, the points and the noise")
    parser.add_argument("--steps", type=int, default=4000, help="of both optimizers")
    parser.add_argument("--batch", type=int, default=256, help="points in a step")
    parser.add_argument("--hidden", type=int, default=128, help="units in the hidden layers")
    parser.add_argument("--lr", type=float, default=1e-3, help="learning rate")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="gan.png", metavar="FILE", help="where the picture goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def centers():
    """The middles (8, 2) of the clouds, on a circle."""
    angles = torch.arange(8) * (math.pi / 4)
    return 2 * torch.stack([angles.cos(), angles.sin()], dim=1)


def draw_points(count):
    """True points (count, 2)."""
    return centers()[torch.randint(8, (count,))] + 0.1 * torch.randn(count, 2)


def network(inputs, hidden, outputs):
    return nn.Sequential(
        nn.Linear(inputs, hidden),
        nn.LeakyReLU(0.2),
        nn.Linear(hidden, hidden),
        nn.LeakyReLU(0.2),
        nn.Linear(hidden, outputs),
    )


class Adversaries:
    """The two networks and what each learns from the other."""

    def __init__(self, arguments):
        self.batch = arguments.batch
        self.generator = network(8, arguments.hidden, 2)
        self.discriminator = network(2, arguments.hidden, 1)
        options = {"lr": arguments.lr, "betas": (0.5, 0.99)}
        self.generator_optimizer = torch.optim.Adam(self.generator.parameters(), **options)
        self.discriminator_optimizer = torch.optim.Adam(self.discriminator.parameters(), **options)
        # smaller steps towards the end, else the two chase each other in circles
        self.schedulers = [
            torch.optim.lr_scheduler.CosineAnnealingLR(each, arguments.steps)
            for each in (self.generator_optimizer, self.discriminator_optimizer)
        ]

    def make_points(self, count):
        return self.generator(torch.randn(count, 8))

    def teach_discriminator(self):
        """To say yes to true points and no to made ones, which are detached: the generator takes no part in this."""
        self.discriminator.requires_grad_(True)
        yes = self.discriminator(draw_points(self.batch))
        no = self.discriminator(self.make_points(self.batch).detach())
        # softplus(-x) is -log(sigmoid(x))
        loss = F.softplus(-yes).mean() + F.softplus(no).mean()
        self.discriminator_optimizer.zero_grad()
        loss.backward()
        self.discriminator_optimizer.step()
        return loss.item()

    def teach_generator(self):
        """To make points that the discriminator says yes to; it is asked, not taught."""
        self.discriminator.requires_grad_(False)
        loss = F.softplus(-self.discriminator(self.make_points(self.batch))).mean()
        self.generator_optimizer.zero_grad()
        loss.backward()
        self.generator_optimizer.step()
        return loss.item()


def learn(adversaries, arguments, moments):
    """Train, and yield the sum of both losses of each step; points of five moments go into the list."""
    for step in range(arguments.steps):
        yield adversaries.teach_discriminator() + adversaries.teach_generator()
        for scheduler in adversaries.schedulers:
            scheduler.step()
        if (step + 1) % max(1, arguments.steps // 5) == 0:
            with torch.no_grad():
                moments.append((step + 1, adversaries.make_points(1000)))


def judge(points):
    """How many clouds have at least a hundredth of the points, and which share of the points is in any."""
    distances = torch.cdist(points, centers())
    inside = distances < 0.4
    return int((inside.float().mean(0) >= 0.01).sum()), inside.any(1).float().mean().item()


def draw(moments, file):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, len(moments), figsize=(3 * len(moments), 3), layout="constrained", squeeze=False
    )
    true = draw_points(1000)
    for axes, (step, points) in zip(panels[0], moments, strict=True):
        axes.scatter(*true.T.numpy(), s=3, color="#c9b18a")
        axes.scatter(*points.T.numpy(), s=3, color="#8a2f0c", alpha=0.5)
        axes.set(title=f"step {step}", xlim=(-3, 3), ylim=(-3, 3), aspect="equal", xticks=[], yticks=[])
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


def write_logs(losses, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for step, loss in enumerate(losses):
            writer.add_scalar("loss", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    adversaries, moments = Adversaries(arguments), []
    steps = islice(learn(adversaries, arguments, moments), arguments.losses)
    losses = list(tqdm(steps, total=arguments.steps, disable=arguments.no_progress or arguments.losses is not None))
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    draw(moments, arguments.plot)
    if arguments.logs:
        write_logs(losses, arguments.logs)
    with torch.no_grad():
        found, share = judge(adversaries.make_points(2000))
    print(f"{found} of 8 clouds are found; {share:.0%} of the points are in one")


if __name__ == "__main__":
    main()
