"""Scaling gradients, and the stop-gradient: when a factor is a number and when it is a function.

A policy gradient adds up gradients of f, each scaled by a value of g: the sum of g(x) df(x). The gradient of the
sum of g(x) f(x) is the same, as long as g does not depend on the parameters. If it does, such as when one network
gives both, the product rule brings in f(x) dg(x) too. `detach` takes that out again: the values of g stay, their
history goes.

    python examples/stop_gradient.py              gradients beside their formulas
    python examples/stop_gradient.py --seed 1     with other parameters

The program is plain PyTorch: with `import torch` as its first import it prints the same numbers.
"""

import rushlight as torch  # isort: skip

import argparse
import sys

import numpy as np


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the parameters")
    parser.add_argument("--points", type=int, default=5, help="how many x there are")
    return parser.parse_args()


# theta has two parameters; both functions take x of shape (N,).


def f(x, theta):
    return theta[0] * x + theta[1]


def g(x, theta):
    return torch.exp(theta[0] * x)


def g_without_theta(x):
    return torch.exp(-x)


# How a program may scale the gradients of f; each returns what it calls backward() on.


def by_another_function(x, theta):
    """g has no parameters: nothing to stop."""
    f_values = f(x, theta)
    g_values = g_without_theta(x)
    return torch.sum(g_values * f_values)


def by_its_own_function(x, theta):
    """g has the parameters of f: this is the gradient of the product."""
    f_values = f(x, theta)
    g_values = g(x, theta)
    return torch.sum(g_values * f_values)


def by_stopped_values(x, theta):
    """g has the parameters of f, and is taken as numbers."""
    f_values = f(x, theta)
    g_values = g(x, theta)
    g_stopgrad = g_values.detach()
    return torch.sum(g_stopgrad * f_values)


def by_values_without_history(x, theta):
    """The same, where g is not needed for anything else: no history is made in the first place."""
    f_values = f(x, theta)
    with torch.no_grad():
        g_values = g(x, theta)
    return torch.sum(g_values * f_values)


def by_the_wrong_one(x, theta):
    """The slip: f is stopped, so g learns and f does not."""
    f_values = f(x, theta)
    g_values = g(x, theta)
    return torch.sum(g_values * f_values.detach())


def formulas(x, theta):
    """What the gradient of each must be, worked out on paper: two numbers each, in NumPy."""
    f_values = theta[0] * x + theta[1]
    f_slopes = np.stack([x, np.ones_like(x)])
    g_values = np.exp(theta[0] * x)
    g_slopes = np.stack([x * g_values, np.zeros_like(x)])
    scaled = (g_values * f_slopes).sum(1)
    missing = (f_values * g_slopes).sum(1)
    return {
        by_another_function: (np.exp(-x) * f_slopes).sum(1),
        by_its_own_function: scaled + missing,
        by_stopped_values: scaled,
        by_values_without_history: scaled,
        by_the_wrong_one: missing,
    }


def gradient(objective, x, values):
    """The gradient of an objective at these parameters."""
    theta = torch.tensor(values, requires_grad=True)
    objective(x, theta).backward()
    return theta.grad


def show_that_values_stay():
    """A stopped tensor has the values it had; only the way back is gone."""
    theta = torch.tensor([0.5, -1.0], requires_grad=True)
    values = g(torch.linspace(0, 1, 3), theta)
    stopped = values.detach()
    print(f"g         {values}")
    print(f"g stopped {stopped}")
    print(f"requires_grad: {values.requires_grad}, stopped: {stopped.requires_grad}\n")


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    values = torch.randn(2).tolist()
    x = torch.linspace(0, 1, arguments.points)
    expected = formulas(x.numpy().astype("float64"), values)

    show_that_values_stay()
    print(f"theta = ({values[0]:.4f}, {values[1]:.4f})")
    print(f"{'':28} {'gradient':>20} {'formula':>20}")
    right = True
    for objective, formula in expected.items():
        found = gradient(objective, x, values).numpy()
        right = right and np.allclose(found, formula, 1e-5, 1e-5)
        title = objective.__name__.replace("_", " ")
        print(f"{title:28} {found[0]:10.4f}{found[1]:10.4f} {formula[0]:10.4f}{formula[1]:10.4f}")
    sys.exit(not right)


if __name__ == "__main__":
    main()
