"""Model-agnostic meta-learning of sine waves: a network that learns a new wave from ten points in one step.

Each task is a wave of its own amplitude and phase. The network is trained so that one step of gradient descent on
`--shots` points makes it good on other points of the same wave: the loss is taken after that step, and its gradient
goes through the step. All tasks of a batch take their steps at once, by `vmap`.

    python examples/maml.py                  learn, draw a new wave before and after its step
    python examples/maml.py --steps 50       stop earlier
    python examples/maml.py --losses 50      print the first 50 losses and stop

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
from_module, grad, vmap = torch.func.functional_call, torch.func.grad, torch.func.vmap


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the network and of the waves")
    parser.add_argument("--steps", type=int, default=3000, help="of the outer optimizer")
    parser.add_argument("--tasks", type=int, default=16, help="waves in a batch")
    parser.add_argument("--shots", type=int, default=10, help="points of a wave to learn from, and to be judged by")
    parser.add_argument("--inner-lr", type=float, default=0.05, help="rate of the one step on a wave")
    parser.add_argument("--print-every", type=int, default=100, metavar="N", help="steps between two losses")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="maml.png", metavar="FILE", help="where the picture of a new wave goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def make_waves(tasks, shots):
    """Points (tasks, shots, 1) of waves, and the values of these waves there."""
    amplitude = torch.rand(tasks, 1, 1) * 4.9 + 0.1
    phase = torch.rand(tasks, 1, 1) * math.pi
    xs = torch.rand(tasks, shots, 1) * 10 - 5
    return xs, amplitude * torch.sin(xs + phase)


def adapted(network, params, xs, ys, lr):
    """The parameters after one step on the points of one wave."""

    def loss(params):
        return F.mse_loss(from_module(network, params, (xs,)), ys)

    slopes = grad(loss)(params)
    return {name: each - lr * slopes[name] for name, each in params.items()}


def outer_loss(network, params, waves, shots, lr):
    """How wrong the network is on the other points of each wave, after its step on the first ones."""

    def of_one(xs, ys):
        fast = adapted(network, params, xs[:shots], ys[:shots], lr)
        return F.mse_loss(from_module(network, fast, (xs[shots:],)), ys[shots:])

    return vmap(of_one)(*waves).mean()


def learn(network, arguments):
    """Train, and yield the loss of each outer step."""
    params = dict(network.named_parameters())
    optimizer = torch.optim.Adam(list(params.values()), lr=1e-3)
    for _ in range(arguments.steps):
        waves = make_waves(arguments.tasks, 2 * arguments.shots)
        loss = outer_loss(network, params, waves, arguments.shots, arguments.inner_lr)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


def follow(steps, arguments):
    """The losses of these steps; one in `--print-every` of them is printed as it comes."""
    losses, quiet = [], arguments.losses is not None
    for loss in tqdm(islice(steps, arguments.losses), total=arguments.steps, disable=arguments.no_progress or quiet):
        if not quiet and len(losses) % arguments.print_every == 0:
            print(f"{len(losses):5d} {loss:.4f}")
        losses.append(loss)
    return losses


def draw(network, arguments):
    """A new wave, ten of its points, and what the network makes of it before and after one step."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    params = {name: each.detach() for name, each in network.named_parameters()}
    xs, ys = make_waves(1, arguments.shots)
    line = torch.linspace(-5, 5, 200).unsqueeze(1)
    figure, axes = pyplot.subplots(layout="constrained")
    for title, used in (
        ("before", params),
        ("after one step", adapted(network, params, xs[0], ys[0], arguments.inner_lr)),
    ):
        axes.plot(line[:, 0].numpy(), from_module(network, used, (line,))[:, 0].detach().numpy(), label=title)
    axes.scatter(xs[0, :, 0].numpy(), ys[0, :, 0].numpy(), color="black", label="points of a new wave")
    axes.legend()
    figure.savefig(arguments.plot)


def write_logs(losses, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for step, loss in enumerate(losses):
            writer.add_scalar("loss", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    network = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1))
    losses = follow(learn(network, arguments), arguments)
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    last = losses[-100:]
    print(f"mean loss of the last {len(last)} steps {sum(last) / len(last):.4f}")
    draw(network, arguments)
    if arguments.logs:
        write_logs(losses, arguments.logs)


if __name__ == "__main__":
    main()
