"""A physics-informed network: it solves the heat equation without having seen a solution.

A bar is warm in the middle and cold at both ends, where it stays cold. The network is a function of place and time. Its
loss says how far it is from the equation `u_t = conductivity * u_xx` at points drawn at random, and from what is known
at the beginning and at the ends. The derivatives in that loss are those of the network itself: `jacfwd` once and twice,
at all points at once by `vmap`; the gradient of the loss goes through them.

    python examples/pinn.py                  learn, draw the solution and its error
    python examples/pinn.py --steps 50       stop earlier
    python examples/pinn.py --losses 50      print the first 50 losses and stop

The program is plain PyTorch: with `import torch` as its first import it prints the same losses.
"""

import rushlight as torch  # isort: skip

import argparse
import importlib
import math
from itertools import islice

from tqdm import tqdm

nn = torch.nn
from_module, jacfwd, vmap = torch.func.functional_call, torch.func.jacfwd, torch.func.vmap
CONDUCTIVITY = 0.2


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the network and of the points")
    parser.add_argument("--points", type=int, default=500, help="inside of the bar, in a step")
    parser.add_argument("--steps", type=int, default=2000, help="of the optimizer")
    parser.add_argument("--lr", type=float, default=3e-3, help="learning rate")
    parser.add_argument("--print-every", type=int, default=100, metavar="N", help="steps between two losses")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="pinn.png", metavar="FILE", help="where the picture goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def beginning(x):
    """How warm the bar is at first."""
    return torch.sin(math.pi * x)


def solution(x, t):
    """What is known of this bar, to compare with; the network does not learn from it."""
    return torch.exp(-CONDUCTIVITY * math.pi**2 * t) * torch.sin(math.pi * x)


class Bar(nn.Module):
    """The temperature at a place from 0 to 1 and a time from 0 to 1."""

    def __init__(self):
        super().__init__()
        self.inside = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, point):
        return self.inside(2 * point - 1).squeeze(-1)


def residual_of(network):
    """The function of parameters and a point (x, t) that says how far the network is from the equation there."""

    def warmth(params, point):
        return from_module(network, params, (point,))

    slope = jacfwd(warmth, argnums=1)
    curvature = jacfwd(slope, argnums=1)

    def residual(params, point):
        return slope(params, point)[1] - CONDUCTIVITY * curvature(params, point)[0, 0]

    return vmap(residual, in_dims=(None, 0))


def loss_of(network, residual, params, points):
    """The mean squared distance from the equation, from the beginning and from the cold ends."""
    inside = residual(params, torch.rand(points, 2)).square().mean()
    x = torch.rand(points // 5)
    first = from_module(network, params, (torch.stack([x, torch.zeros_like(x)], dim=1),)) - beginning(x)
    ends = torch.stack([torch.arange(points // 5) % 2, torch.rand(points // 5)], dim=1)
    cold = from_module(network, params, (ends,))
    return inside + 10 * first.square().mean() + 10 * cold.square().mean()


def learn(network, arguments):
    """Train, and yield the loss of each step."""
    params = dict(network.named_parameters())
    optimizer = torch.optim.Adam(list(params.values()), lr=arguments.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, arguments.steps)
    residual = residual_of(network)
    for _ in range(arguments.steps):
        loss = loss_of(network, residual, params, arguments.points)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        yield loss.item()


def follow(steps, arguments):
    """The losses of these steps; one in `--print-every` of them is printed as it comes."""
    losses, quiet = [], arguments.losses is not None
    for loss in tqdm(islice(steps, arguments.losses), total=arguments.steps, disable=arguments.no_progress or quiet):
        if not quiet and len(losses) % arguments.print_every == 0:
            print(f"{len(losses):5d} {loss:.4f}")
        losses.append(loss)
    return losses


def make_grid(size):
    """Places and times, each (size, size)."""
    line = torch.linspace(0, 1, size)
    return torch.meshgrid(line, line, indexing="ij")


def draw(found, error, name):
    """The temperature over place and time, and how far it is from the truth."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, both = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for axes, values, title in zip(both, (found, error), ("temperature", "error"), strict=True):
        shown = axes.imshow(values.numpy(), origin="lower", extent=(0, 1, 0, 1), aspect="auto", cmap="inferno")
        axes.set(title=title, xlabel="time", ylabel="place")
        figure.colorbar(shown, ax=axes)
    figure.savefig(name)


def write_logs(losses, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for step, loss in enumerate(losses):
            writer.add_scalar("loss", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    network = Bar()
    losses = follow(learn(network, arguments), arguments)
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    x, t = make_grid(64)
    with torch.no_grad():
        found = network(torch.stack([x, t], dim=-1))
    error = (found - solution(x, t)).abs()
    print(f"error {error.mean().item():.4f} on average, {error.max().item():.4f} at most")
    draw(found, error, arguments.plot)
    if arguments.logs:
        write_logs(losses, arguments.logs)


if __name__ == "__main__":
    main()
