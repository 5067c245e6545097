"""Least squares four times: by hand in NumPy, by hand in tensors, with autograd, with optimizers.

A line y = a x + b is laid through noisy points so that the mean squared error is least. The pseudoinverse knows the
answer; gradient descent walks to it. From stage to stage the program has less to say: first the derivatives
disappear, then the updates.

    python examples/least_squares.py              all stages, with pictures of the fit and of the ways there
    python examples/least_squares.py --steps 300  stop earlier, and see who is how far

The program is plain PyTorch: with `import torch` as its first import it prints the same table.
"""

import rushlight as torch  # isort: skip

import argparse
import sys
from itertools import islice

import numpy as np

# The optimizers of the last stage, with rates at which each walks steadily.
OPTIMIZERS = {
    "SGD": {"lr": 0.1},
    "RMSprop": {"lr": 0.05},
    "Adagrad": {"lr": 0.8},
    "Adam": {"lr": 0.1},
}
COLORS = {"SGD": "#8a2f0c", "RMSprop": "#2a6f97", "Adagrad": "#4d7c0f", "Adam": "#7b2d8b"}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the noise and of the first a and b")
    parser.add_argument("--points", type=int, default=100, help="how many there are")
    parser.add_argument("--steps", type=int, default=3000, help="of every stage")
    parser.add_argument("--fit", default="least_squares_fit.png", metavar="FILE", help="the points and the line")
    parser.add_argument("--paths", default="least_squares_paths.png", metavar="FILE", help="the ways to it")
    return parser.parse_args()


def make_data(points):
    """Points (points,) around the line y = 2.5 - 1.2 x."""
    xs = torch.linspace(0, 3, points)
    return xs, 2.5 - 1.2 * xs + 0.4 * torch.randn(points)


def pseudoinverse(xs, ys):
    """The a and b of the least error: no search, one product."""
    matrix = torch.stack([xs, torch.ones(len(xs))], dim=1)
    a, b = torch.pinverse(matrix) @ ys
    return a.item(), b.item()


# Each stage is a generator: it yields a and b as they are, then takes a step.


def numpy_by_hand(xs, ys, lr):
    """Arrays, and derivatives worked out on paper."""
    xs, ys = xs.numpy(), ys.numpy()
    a, b = np.random.randn(), np.random.randn()
    while True:
        yield a, b
        dlda = np.mean(2 * xs**2 * a + 2 * b * xs - 2 * xs * ys)
        dldb = np.mean(2 * xs * a + 2 * b - 2 * ys)
        a = a - lr * dlda
        b = b - lr * dldb


def tensors_by_hand(xs, ys, lr):
    """The same with another library: `np` has become `torch`, and `randn` wants a shape."""
    a, b = torch.randn(1), torch.randn(1)
    while True:
        yield a.item(), b.item()
        dlda = torch.mean(2 * xs**2 * a + 2 * b * xs - 2 * xs * ys)
        dldb = torch.mean(2 * xs * a + 2 * b - 2 * ys)
        a = a - lr * dlda
        b = b - lr * dldb


def with_autograd(xs, ys, lr):
    """Only the loss is written down; backward() finds the derivatives."""
    a = torch.randn(1, requires_grad=True)
    b = torch.randn(1, requires_grad=True)
    while True:
        yield a.item(), b.item()
        loss = torch.mean((ys - a * xs - b) ** 2)
        loss.backward()
        # Through .data, because the update itself is not to be differentiated.
        a.data = a - lr * a.grad
        b.data = b - lr * b.grad
        # backward() adds to what is there.
        a.grad[:] = 0
        b.grad[:] = 0


def with_optimizer(xs, ys, name):
    """The optimizer updates and resets; another method is another name."""
    a = torch.randn(1, requires_grad=True)
    b = torch.randn(1, requires_grad=True)
    optimizer = getattr(torch.optim, name)([a, b], **OPTIMIZERS[name])
    # RMSprop and Adam take steps of about the learning rate however small the gradient is: to arrive, it must fall.
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.997)
    while True:
        yield a.item(), b.item()
        loss = torch.mean((ys - a * xs - b) ** 2)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        scheduler.step()


def walk(arguments, stage, *inputs):
    """Where a stage is after each step: a list of pairs (a, b), from a start that is the same for all."""
    torch.manual_seed(arguments.seed)
    np.random.seed(arguments.seed)
    return list(islice(stage(*inputs), arguments.steps + 1))


def run_stages(arguments, xs, ys):
    """The path of every stage, by its name."""
    paths = {
        "NumPy by hand": walk(arguments, numpy_by_hand, xs, ys, 0.1),
        "tensors by hand": walk(arguments, tensors_by_hand, xs, ys, 0.1),
        "autograd": walk(arguments, with_autograd, xs, ys, 0.1),
    }
    for name in OPTIMIZERS:
        paths[name] = walk(arguments, with_optimizer, xs, ys, name)
    return paths


def print_table(paths, solution):
    """Where every stage has come to, and how far that is from the solution."""
    print(f"{'':16} {'a':>9} {'b':>9} {'distance':>9}")
    print(f"{'pseudoinverse':16} {solution[0]:9.4f} {solution[1]:9.4f}")
    for name, path in paths.items():
        a, b = path[-1]
        print(f"{name:16} {a:9.4f} {b:9.4f} {distance((a, b), solution):9.4f}")


def distance(point, other):
    return float(np.hypot(point[0] - other[0], point[1] - other[1]))


def new_figure(**size):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained", **size)


def draw_fit(xs, ys, paths, solution, file):
    """The points, the line of the pseudoinverse, and lines on the way to it."""
    figure, axes = new_figure(figsize=(8, 4.5))
    axes.scatter(xs.numpy(), ys.numpy(), s=14, color="#c9b18a", label="points")
    ends = np.array([0.0, 3.0])
    for step in (0, 5, 20, 80):
        a, b = paths["SGD"][min(step, len(paths["SGD"]) - 1)]
        axes.plot(ends, a * ends + b, color=COLORS["SGD"], linewidth=1, alpha=0.45)
        axes.annotate(f"SGD, step {step}", (3, 3 * a + b), xytext=(4, -3), textcoords="offset points", fontsize=8)
    a, b = paths["Adam"][-1]
    axes.plot(ends, a * ends + b, color=COLORS["Adam"], linewidth=4, alpha=0.4, label="Adam, last step")
    a, b = solution
    axes.plot(ends, a * ends + b, color="#222222", linewidth=1.5, linestyle="--", label="pseudoinverse")
    axes.set(title=f"y = {a:.2f} x + {b:.2f}", xlabel="x", ylabel="y", xlim=(-0.1, 3.6))
    axes.legend(loc="lower left")
    figure.savefig(file, dpi=120)


def draw_paths(xs, ys, paths, solution, file):
    """The loss over a and b, and how each optimizer walks down to its lowest point."""
    figure, axes = new_figure(figsize=(8, 6))
    walked = np.array([path[:400] for name, path in paths.items() if name in OPTIMIZERS]).reshape(-1, 2)
    low, high = walked.min(0) - 0.6, walked.max(0) + 0.6
    a, b = torch.meshgrid(
        torch.linspace(float(low[0]), float(high[0]), 120),
        torch.linspace(float(low[1]), float(high[1]), 120),
        indexing="ij",
    )
    # (120, 120, 1) against (points,): the loss of every pair at once
    losses = torch.mean((ys - a[..., None] * xs - b[..., None]) ** 2, dim=-1)
    levels = np.geomspace(losses.min().item(), losses.max().item(), 24)
    shades = axes.contourf(a.numpy(), b.numpy(), losses.numpy(), levels, cmap="YlOrBr_r", norm="log", alpha=0.8)
    figure.colorbar(shades, label="mean squared error", format="%.2f")
    for name in OPTIMIZERS:
        path = np.array(paths[name][:400])
        axes.plot(*path.T, color=COLORS[name], linewidth=1.5, marker=".", markevery=10, markersize=4, label=name)
    axes.plot(*paths["SGD"][0], "o", color="#222222", label="start")
    axes.plot(*solution, "*", color="#222222", markersize=14, label="pseudoinverse")
    axes.set(title="400 steps over the loss surface, a dot every 10", xlabel="a", ylabel="b")
    axes.legend(loc="upper right")
    figure.savefig(file, dpi=120)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    xs, ys = make_data(arguments.points)
    solution = pseudoinverse(xs, ys)
    paths = run_stages(arguments, xs, ys)
    print_table(paths, solution)
    draw_fit(xs, ys, paths, solution, arguments.fit)
    draw_paths(xs, ys, paths, solution, arguments.paths)
    print(f"pictures: {arguments.fit}, {arguments.paths}")
    sys.exit(any(distance(path[-1], solution) > 0.01 for path in paths.values()))


if __name__ == "__main__":
    main()
