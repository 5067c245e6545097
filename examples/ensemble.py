"""An ensemble of networks trained at once, and how far they disagree.

Sixteen networks with different first weights learn the same few points of a curve. Their parameters are stacked by
`stack_module_state`, and `vmap` calls all of them in one go: a step takes the time of a few calls, not of sixteen
trainings. Where there are points they agree, between them they part: their spread hints at what was not learned.

    python examples/ensemble.py                  learn, draw the mean of the networks and their spread
    python examples/ensemble.py --steps 50       stop earlier
    python examples/ensemble.py --losses 50      print the first 50 losses and stop

The program is plain PyTorch: with `import torch` as its first import it prints the same losses.
"""

import rushlight as torch  # isort: skip

import argparse
import importlib
from itertools import islice

from tqdm import tqdm

nn = torch.nn
from_module, stack_module_state, vmap = torch.func.functional_call, torch.func.stack_module_state, torch.func.vmap


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the points and of the networks")
    parser.add_argument("--networks", type=int, default=16, help="in the ensemble")
    parser.add_argument("--points", type=int, default=40, help="of the curve to learn from")
    parser.add_argument("--steps", type=int, default=2000, help="of the optimizer")
    parser.add_argument("--lr", type=float, default=3e-3, help="learning rate")
    parser.add_argument("--print-every", type=int, default=100, metavar="N", help="steps between two losses")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="ensemble.png", metavar="FILE", help="where the picture goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def curve(xs):
    return torch.sin(3 * xs) + 0.3 * torch.cos(9 * xs)


def make_points(points):
    """Points (points, 1) on the left and on the right, none in the middle, with a little noise."""
    xs = torch.rand(points, 1) * 0.7 - 1
    xs = torch.where(torch.arange(points).unsqueeze(1) % 2 == 0, xs, -xs)
    return xs, curve(xs) + 0.03 * torch.randn(points, 1)


def make_network():
    return nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))


def make_ensemble(count):
    """The function of all networks, from their stacked parameters and points to (networks, points, 1); and these."""
    networks = [make_network() for _ in range(count)]
    params, buffers = stack_module_state(networks)
    # one network serves as the form of all: only its parameters differ
    form = networks[0]

    def one(params, buffers, xs):
        return from_module(form, (params, buffers), (xs,))

    return lambda params, xs: vmap(one, in_dims=(0, 0, None))(params, buffers, xs), params


def learn(ensemble, params, xs, ys, arguments):
    """Train, and yield the mean loss of the networks in each step."""
    optimizer = torch.optim.Adam(list(params.values()), lr=arguments.lr)
    for _ in range(arguments.steps):
        optimizer.zero_grad()
        losses = losses_of(ensemble, params, xs, ys)
        # the sum: no network has a part in the loss of another
        losses.sum().backward()
        optimizer.step()
        yield losses.mean().item()


def losses_of(ensemble, params, xs, ys):
    """How wrong each network is: (networks,)."""
    return ((ensemble(params, xs) - ys) ** 2).mean((1, 2))


def follow(steps, arguments):
    """The losses of these steps; one in `--print-every` of them is printed as it comes."""
    losses, quiet = [], arguments.losses is not None
    for loss in tqdm(islice(steps, arguments.losses), total=arguments.steps, disable=arguments.no_progress or quiet):
        if not quiet and len(losses) % arguments.print_every == 0:
            print(f"{len(losses):5d} {loss:.4f}")
        losses.append(loss)
    return losses


def draw(ensemble, params, xs, ys, name):
    """The curve, its points, and the mean of the networks with twice their spread."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    line = torch.linspace(-1.3, 1.3, 300).unsqueeze(1)
    with torch.no_grad():
        found = ensemble(params, line)[:, :, 0]
    mean, spread = found.mean(0).numpy(), 2 * found.std(0).numpy()
    across = line[:, 0].numpy()
    figure, axes = pyplot.subplots(layout="constrained")
    axes.fill_between(across, mean - spread, mean + spread, alpha=0.3, label="spread of the networks")
    axes.plot(across, mean, label="mean of the networks")
    axes.plot(across, curve(line)[:, 0].numpy(), "k--", linewidth=1, label="the curve")
    axes.scatter(xs[:, 0].numpy(), ys[:, 0].numpy(), color="black", s=12, label="points to learn from")
    axes.set_ylim(-2.5, 2.5)
    axes.legend()
    figure.savefig(name)


def write_logs(losses, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for step, loss in enumerate(losses):
            writer.add_scalar("loss", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    xs, ys = make_points(arguments.points)
    ensemble, params = make_ensemble(arguments.networks)
    losses = follow(learn(ensemble, params, xs, ys, arguments), arguments)
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    with torch.no_grad():
        last = losses_of(ensemble, params, xs, ys)
        known, unknown = (ensemble(params, place).std(0).mean().item() for place in (xs, torch.zeros(1, 1)))
    print(f"loss from {last.min().item():.4f} to {last.max().item():.4f}")
    print(f"spread at the points {known:.4f}, between them {unknown:.4f}")
    draw(ensemble, params, xs, ys, arguments.plot)
    if arguments.logs:
        write_logs(losses, arguments.logs)


if __name__ == "__main__":
    main()
