"""`python -m rushlight bench`: a few rows of timings beside NumPy, and PyTorch where it is installed."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import rushlight

HELP = "a few timings beside NumPy and PyTorch"
DESCRIPTION = """\
Time a few calls and one training step, each for about a second and a half, on one thread: Rushlight, NumPy where the
same can be written by hand, and PyTorch where it is installed. The best of all rounds counts. `make bench` in the
repository measures far more.
"""
Work = Callable[[], Any]


def add_arguments(parser: ArgumentParser) -> None:
    """What may follow the command."""
    parser.add_argument("--seconds", type=float, default=1.5, help="how long to measure each cell (default: 1.5)")


def command(given: Namespace) -> int:
    """Print the table."""
    libraries = {"Rushlight": rushlight, **other_torch()}
    columns = [*libraries, "NumPy"]
    print(f"{'microseconds, one thread':<38}" + "".join(f"{name:>12}" for name in columns))
    for each in libraries.values():
        each.set_num_threads(1)
    for name, (make, by_hand) in ROWS.items():
        cells: list[float | None] = [best(make(each), given.seconds) for each in libraries.values()]
        cells.append(None if by_hand is None else best(by_hand(), given.seconds))
        print(f"{name:<38}" + "".join(f"{'':>12}" if cell is None else f"{cell * 1e6:>12,.1f}" for cell in cells))
    return 0


def other_torch() -> dict[str, Any]:
    """PyTorch itself, if it is installed."""
    from rushlight.compat import stand_in

    return {} if stand_in.real_torch() is None else {"PyTorch": import_module("torch")}


def best(work: Work, seconds: float) -> float:
    """The seconds of one call in the fastest of many rounds."""
    count = 1
    while (took := clock(work, count)) < seconds / 20:
        count = max(count * 2, min(count * 10, int(count * seconds / 20 / max(took, 1e-9)) + 1))
    end = time.perf_counter() + seconds
    found = took / count
    while time.perf_counter() < end:
        found = min(found, clock(work, count) / count)
    return found


def clock(work: Work, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        work()
    return time.perf_counter() - start


def small_gradient(torch: Any) -> Work:
    """Four numbers through tanh, and back."""
    x = torch.randn(4, requires_grad=True)

    def work() -> None:
        x.grad = None
        x.tanh().sum().backward()

    return work


def small_gradient_by_hand() -> Work:
    x = np.linspace(-1, 1, 4, dtype=np.float32)

    def work() -> np.ndarray:
        y = np.tanh(x)
        y.sum()
        gradient: np.ndarray = 1 - y * y
        return gradient

    return work


def training_step(torch: Any) -> Work:
    """A policy's network: 64 rows through 4, 64, 64, 2 numbers, and a step of Adam."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(model.parameters())
    x, y = torch.randn(64, 4), torch.randn(64, 2)

    def work() -> None:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return work


def product(torch: Any) -> Work:
    """Two matrices of 256 rows and columns."""
    a, b = torch.randn(256, 256), torch.randn(256, 256)
    return lambda: a @ b


def product_by_hand() -> Work:
    a = np.random.default_rng(0).normal(size=(2, 256, 256)).astype(np.float32)
    return lambda: a[0] @ a[1]


def softmax(torch: Any) -> Work:
    """128 rows of 1000 numbers."""
    x = torch.randn(128, 1000)
    return lambda: torch.softmax(x, 1)


def softmax_by_hand() -> Work:
    x = np.random.default_rng(0).normal(size=(128, 1000)).astype(np.float32)

    def work() -> np.ndarray:
        found = np.exp(x - x.max(1, keepdims=True))
        return found / found.sum(1, keepdims=True)

    return work


def convolution(torch: Any) -> Work:
    """Eight images of 16 channels, 32 by 32, and 16 filters of 3 by 3."""
    x, weight = torch.randn(8, 16, 32, 32), torch.randn(16, 16, 3, 3)
    return lambda: torch.nn.functional.conv2d(x, weight, padding=1)


# what is timed: how to make it for a library that has torch's names, and by hand
ROWS: dict[str, tuple[Callable[[Any], Work], Callable[[], Work] | None]] = {
    "tanh of 4 numbers, with its gradient": (small_gradient, small_gradient_by_hand),
    "training step, 64 rows, 4-64-64-2": (training_step, None),
    "matrix product, 256": (product, product_by_hand),
    "softmax, 128 rows of 1000": (softmax, softmax_by_hand),
    "convolution, 8 images of 16x32x32": (convolution, None),
}
