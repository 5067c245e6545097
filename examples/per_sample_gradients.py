"""Differentially private SGD: the gradient of each example by itself, clipped, then summed with noise.

No example may move the parameters by more than a bound, so none can be told from the result. That needs a gradient for
every example of a batch: `vmap(grad(loss))` computes them in one go, where a loop would take a backward for each.

    python examples/per_sample_gradients.py                  learn two moons, draw where the classes part
    python examples/per_sample_gradients.py --steps 20       stop earlier
    python examples/per_sample_gradients.py --losses 50      print the first 50 losses and stop

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
from_module, grad_and_value, vmap = torch.func.functional_call, torch.func.grad_and_value, torch.func.vmap


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the points, the network, the batches and the noise")
    parser.add_argument("--points", type=int, default=1000, help="of both moons")
    parser.add_argument("--steps", type=int, default=600, help="of the optimizer")
    parser.add_argument("--batch", type=int, default=128, help="examples in a step")
    parser.add_argument("--bound", type=float, default=1.0, help="the longest gradient that an example may have")
    parser.add_argument("--noise", type=float, default=0.6, help="standard deviation of the noise, in bounds")
    parser.add_argument("--lr", type=float, default=0.5, help="learning rate")
    parser.add_argument("--print-every", type=int, default=50, metavar="N", help="steps between two losses")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="per_sample_gradients.png", metavar="FILE", help="where the picture goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def make_moons(points):
    """Points (points, 2) on two half circles, and which one each is on."""
    classes = torch.arange(points) % 2
    angle = torch.rand(points) * math.pi
    side = 1 - 2 * classes
    xs = torch.stack([torch.cos(angle) * side + classes, (torch.sin(angle) - 0.25) * side], dim=1)
    return xs + 0.15 * torch.randn(points, 2), classes


def private_gradients(network, params, xs, ys, bound, noise):
    """The sum of clipped gradients and noise, divided by the batch, and the mean loss."""

    def loss(params, x, y):
        return F.cross_entropy(from_module(network, params, (x,)), y)

    slopes, losses = vmap(grad_and_value(loss), in_dims=(None, 0, 0))(params, xs, ys)
    lengths = torch.stack([each.flatten(1).norm(dim=1) for each in slopes.values()], dim=1).norm(dim=1)
    factors = (bound / (lengths + 1e-6)).clamp(max=1.0)
    summed = {name: torch.einsum("b,b...->...", factors, each) for name, each in slopes.items()}
    return {
        name: (each + noise * bound * torch.randn(each.shape)) / len(xs) for name, each in summed.items()
    }, losses.mean().item()


def learn(network, params, xs, ys, arguments):
    """Train these parameters, and yield the loss of each step."""
    for _ in range(arguments.steps):
        chosen = torch.randint(len(xs), (arguments.batch,))
        slopes, loss = private_gradients(network, params, xs[chosen], ys[chosen], arguments.bound, arguments.noise)
        for name, each in params.items():
            params[name] = each - arguments.lr * slopes[name]
        yield loss


def follow(steps, arguments):
    """The losses of these steps; one in `--print-every` of them is printed as it comes."""
    losses, quiet = [], arguments.losses is not None
    for loss in tqdm(islice(steps, arguments.losses), total=arguments.steps, disable=arguments.no_progress or quiet):
        if not quiet and len(losses) % arguments.print_every == 0:
            print(f"{len(losses):5d} {loss:.4f}")
        losses.append(loss)
    return losses


def draw(network, params, xs, ys, name):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    across, up = torch.meshgrid(torch.linspace(-2, 3, 120), torch.linspace(-1.5, 1.5, 120), indexing="xy")
    places = torch.stack([across.flatten(), up.flatten()], dim=1)
    chance = from_module(network, params, (places,)).softmax(1)[:, 1].reshape(120, 120)
    figure, axes = pyplot.subplots(layout="constrained")
    axes.contourf(across.numpy(), up.numpy(), chance.numpy(), levels=20, cmap="RdBu", alpha=0.6)
    axes.scatter(xs[:, 0].numpy(), xs[:, 1].numpy(), c=ys.numpy(), s=6, cmap="RdBu")
    figure.savefig(name)


def write_logs(losses, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for step, loss in enumerate(losses):
            writer.add_scalar("loss", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    xs, ys = make_moons(arguments.points)
    network = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
    params = {name: each.detach() for name, each in network.named_parameters()}
    losses = follow(learn(network, params, xs, ys, arguments), arguments)
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    right = (from_module(network, params, (xs,)).argmax(1) == ys).float().mean().item()
    print(f"right {right:.3f}")
    draw(network, params, xs, ys, arguments.plot)
    if arguments.logs:
        write_logs(losses, arguments.logs)


if __name__ == "__main__":
    main()
