"""A diffusion model turns noise into a spiral, step by step, and a film of it.

Points of the spiral are drowned in noise by degrees; a network learns to tell, from a drowned point and its degree,
what noise was added. To make new points, start with nothing but noise and take out, degree by degree, what the network
says.

    python examples/diffusion.py                  learn for 6,000 steps, draw the points, film how they come about
    python examples/diffusion.py --losses 50      print the first 50 losses and stop
    python examples/diffusion.py --logs runs      write the losses for TensorBoard too

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

DEGREES = 100


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the network, the points and the noise")
    parser.add_argument("--steps", type=int, default=6000, help="of the optimizer")
    parser.add_argument("--batch", type=int, default=256, help="points in a step")
    parser.add_argument("--hidden", type=int, default=128, help="units in the hidden layers")
    parser.add_argument("--lr", type=float, default=2e-3, help="learning rate at the start")
    parser.add_argument("--points", type=int, default=1500, help="to be made in the end")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="diffusion.png", metavar="FILE", help="where the picture goes")
    parser.add_argument("--film", default="diffusion.gif", metavar="FILE", help="where the film goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def draw_points(count):
    """Points (count, 2) of a spiral."""
    turn = 3 * math.pi * torch.rand(count).sqrt()
    return torch.stack([turn * turn.cos(), turn * turn.sin()], dim=1) / 5 + 0.03 * torch.randn(count, 2)


class Schedule:
    """How much noise is added at each degree: `kept` is the share of a point's variance that is still its own."""

    def __init__(self):
        self.added = torch.linspace(1e-3, 0.1, DEGREES)
        self.kept = (1 - self.added).cumprod(0)

    def drown(self, points, noise, degree):
        kept = self.kept[degree].unsqueeze(1)
        return kept.sqrt() * points + (1 - kept).sqrt() * noise

    def lift(self, points, noise, degree):
        """One degree back: the noise out, rescaled, and a little new noise in, except at the last one."""
        added, kept = self.added[degree], self.kept[degree]
        cleaner = (points - added / (1 - kept).sqrt() * noise) / (1 - added).sqrt()
        return cleaner + added.sqrt() * torch.randn_like(points) if degree > 0 else cleaner


class Denoiser(nn.Module):
    """From points (N, 2) and their degrees (N,) to the noise (N, 2) that is in them."""

    def __init__(self, hidden):
        super().__init__()
        self.register_buffer("frequencies", 2.0 ** torch.arange(6) * (math.pi / DEGREES))
        self.layers = nn.Sequential(
            nn.Linear(2 + 12, hidden),
            nn.SiLU(),
            nn.Linear(hidden, hidden),
            nn.SiLU(),
            nn.Linear(hidden, hidden),
            nn.SiLU(),
            nn.Linear(hidden, 2),
        )

    def forward(self, points, degrees):
        angles = degrees.unsqueeze(1) * self.frequencies
        return self.layers(torch.cat([points, angles.sin(), angles.cos()], dim=1))


def learn(network, schedule, arguments):
    """Train, and yield the loss of each step."""
    optimizer = torch.optim.Adam(network.parameters(), lr=arguments.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, arguments.steps)
    for _ in range(arguments.steps):
        points = draw_points(arguments.batch)
        degrees = torch.randint(DEGREES, (arguments.batch,))
        noise = torch.randn_like(points)
        loss = F.mse_loss(network(schedule.drown(points, noise, degrees), degrees), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        yield loss.item()


@torch.no_grad()
def make_points(network, schedule, count):
    """The points (count, 2) after each degree, from noise alone to the last one."""
    points = torch.randn(count, 2)
    moments = [points]
    for degree in reversed(range(DEGREES)):
        noise = network(points, torch.full((count,), degree))
        points = schedule.lift(points, noise, degree)
        moments.append(points)
    return moments


def distance(made, true):
    """How far, on average, a point is from the nearest of the others, both ways."""
    distances = torch.cdist(made, true)
    return (distances.min(1).values.mean() + distances.min(0).values.mean()).item() / 2


def draw(moments, picture, film):
    """Five of the moments side by side, and all of them one after the other."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import animation, pyplot

    limits = {"xlim": (-2.2, 2.2), "ylim": (-2.2, 2.2), "aspect": "equal", "xticks": [], "yticks": []}
    figure, panels = pyplot.subplots(1, 5, figsize=(15, 3), layout="constrained")
    for axes, index in zip(panels, (0, 50, 75, 90, 100), strict=True):
        axes.scatter(*moments[index].T.numpy(), s=2, color="#8a2f0c")
        axes.set(title=f"{DEGREES - index} degrees of noise", **limits)
    figure.savefig(picture, dpi=120)
    pyplot.close(figure)

    figure, axes = pyplot.subplots(figsize=(4, 4), layout="constrained")
    axes.set(**limits)
    dots = axes.scatter(*moments[0].T.numpy(), s=2, color="#8a2f0c")
    shown = moments[::4] + moments[-1:] * 8
    show = animation.FuncAnimation(figure, lambda points: dots.set_offsets(points.numpy()), shown)
    show.save(film, writer=animation.PillowWriter(fps=12))
    pyplot.close(figure)


def write_logs(losses, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for step, loss in enumerate(losses):
            writer.add_scalar("loss", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    network, schedule = Denoiser(arguments.hidden), Schedule()
    steps = islice(learn(network, schedule, arguments), arguments.losses)
    losses = list(tqdm(steps, total=arguments.steps, disable=arguments.no_progress or arguments.losses is not None))
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    moments = make_points(network, schedule, arguments.points)
    draw(moments, arguments.plot, arguments.film)
    if arguments.logs:
        write_logs(losses, arguments.logs)
    true = draw_points(arguments.points)
    print(
        f"distance from the spiral: {distance(moments[-1], true):.3f}, of bare noise {distance(moments[0], true):.3f}"
    )


if __name__ == "__main__":
    main()
