"""The reductions, scans and norms over a million numbers: their data, their exact forms, the error each may have."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import special

FLOAT32, FLOAT64 = np.dtype("float32"), np.dtype("float64")
SMALL = np.finfo(FLOAT32).tiny


class Reduction(NamedTuple):
    """A reduction: its name in torch and what is special, the data, the exact form, the error allowed."""

    name: str
    data: str
    call: Callable  # of torch and a tensor
    exact: Callable  # of a float64 array
    bound: float  # relative to the exact value, in units of 2**-24

    @property
    def op(self) -> str:
        return self.name.partition(",")[0]


def R(name: str, data: str, exact: Callable, bound: float, call: Callable | None = None) -> Reduction:
    """A reduction over all elements, unless `call` says how."""
    op = name.partition(",")[0]
    return Reduction(name, data, call or (lambda torch, x: find(torch, op)(x)), exact, bound)


def find(torch: Any, name: str) -> Any:
    for part in name.split("."):
        torch = getattr(torch, part)
    return torch


def norm(x: np.ndarray, order: float = 2) -> np.ndarray:
    largest = np.abs(x).max()
    return (np.abs(x / largest) ** order).sum() ** (1 / order) * largest


def log_softmax(x: np.ndarray) -> np.ndarray:
    return x - special.logsumexp(x)


def softmax(x: np.ndarray) -> np.ndarray:
    return np.exp(log_softmax(x))


def variance(x: np.ndarray, axis: int | None = None) -> np.ndarray:
    return x.var(axis, ddof=1)


def deviation(x: np.ndarray, axis: int | None = None) -> np.ndarray:
    return x.std(axis, ddof=1)


def columns(name: str) -> Callable:
    return lambda torch, x: find(torch, name)(x, dim=0)


def masked(name: str, **options: Any) -> Callable:
    """A function of torch.masked, on the positive numbers alone."""
    return lambda torch, x: find(torch, name)(x, mask=x > 0, **options)


SUMS = [
    R("sum", "even", np.sum, 4),
    R("sum, of 0.1", "tenth", np.sum, 4),
    R("sum, of columns", "square", lambda x: x.sum(0), 8, columns("sum")),
    R("sum, of 3 columns", "narrow", lambda x: x.sum(0), 8, columns("sum")),
    R("sum, of rows", "square", lambda x: x.sum(1), 4, lambda torch, x: x.sum(1)),
    R("sum, of every other", "even", lambda x: x[::2].sum(), 4, lambda torch, x: x[::2].sum()),
    R("nansum", "even", np.sum, 4),
    R("mean", "even", np.mean, 4),
    R("mean, of columns", "square", lambda x: x.mean(0), 8, columns("mean")),
    R("mean, offset 1e4", "offset", np.mean, 4),
    R("nanmean", "even", np.mean, 4),
    R("masked.sum", "normal", lambda x: x[x > 0].sum(), 4, masked("masked.sum")),
    R("masked.mean", "normal", lambda x: x[x > 0].mean(), 4, masked("masked.mean")),
    R("prod, of 1000", "near one", lambda x: x[:1000].prod(), 2000, lambda torch, x: x[:1000].prod()),
    R("trapezoid", "even", np.trapezoid, 4),
    R("trace", "square", np.trace, 4),
]

SPREADS = [
    R("var", "normal", variance, 4),
    R("var, offset 1e4", "offset", variance, 4),
    R("var, of columns", "square", lambda x: variance(x, 0), 8, columns("var")),
    R("var, of columns, offset 1e4", "offset square", lambda x: variance(x, 0), 20, columns("var")),
    R("var_mean", "offset", variance, 4, lambda torch, x: torch.var_mean(x)[0]),
    R("std", "normal", deviation, 4),
    R("std, offset 1e4", "offset", deviation, 4),
    R("std, of columns", "square", lambda x: deviation(x, 0), 8, columns("std")),
    R("std_mean", "offset", deviation, 4, lambda torch, x: torch.std_mean(x)[0]),
    R("masked.var", "normal", lambda x: x[x > 0].var(), 4, masked("masked.var", unbiased=False)),
    R("masked.std", "normal", lambda x: x[x > 0].std(), 4, masked("masked.std", unbiased=False)),
    R("cov", "square", lambda x: np.cov(x[:3])[0, 0], 8, lambda torch, x: torch.cov(x[:3])[0, 0]),
    R("corrcoef", "square", lambda x: np.corrcoef(x[:3])[0, 0], 8, lambda torch, x: torch.corrcoef(x[:3])[0, 0]),
]

NORMS = [
    R("norm", "normal", norm, 4),
    R("norm, of columns", "square", lambda x: np.sqrt(np.square(x).sum(0)), 8, columns("norm")),
    R("norm, of 1e30", "huge", norm, 4),
    R("norm, of 1e-30", "tiny", norm, 4),
    R("norm, of order 3 of 1e30", "huge", lambda x: norm(x, 3), 8, lambda torch, x: x.norm(3)),
    R("linalg.vector_norm", "normal", norm, 4),
    R("linalg.vector_norm, of order 1", "normal", lambda x: norm(x, 1), 4, lambda torch, x: torch.linalg.norm(x, 1)),
    R("linalg.norm", "square", norm, 4),
    R("linalg.matrix_norm", "square", norm, 4),
    R("masked.norm", "normal", lambda x: norm(x[x > 0]), 4, masked("masked.norm", ord=2)),
    R("dist", "normal", lambda x: norm(x[1:] - x[:-1]), 4, lambda torch, x: torch.dist(x[1:], x[:-1])),
    R(
        "renorm",
        "square",
        lambda x: x / np.linalg.norm(x, axis=1, keepdims=True),
        8,
        lambda torch, x: x.renorm(2, 0, 1),
    ),
    R("nn.functional.normalize", "normal", lambda x: x / norm(x), 8, columns("nn.functional.normalize")),
]

SOFTMAXES = [
    R("logsumexp", "normal", special.logsumexp, 4, columns("logsumexp")),
    R("logsumexp, logits to 1e5", "logits", special.logsumexp, 4, columns("logsumexp")),
    R("masked.logsumexp", "normal", lambda x: special.logsumexp(x[x > 0]), 4, masked("masked.logsumexp", dim=0)),
    R("softmax", "normal", softmax, 20, columns("softmax")),
    R("softmax, logits to 1e5", "logits", softmax, 4, columns("softmax")),
    R("log_softmax", "normal", log_softmax, 4, columns("log_softmax")),
    R("log_softmax, logits to 1e5", "logits", log_softmax, 4, columns("log_softmax")),
    R("nn.functional.softmax", "normal", softmax, 20, columns("nn.functional.softmax")),
    R("nn.functional.log_softmax", "normal", log_softmax, 4, columns("nn.functional.log_softmax")),
    R("nn.functional.softmin", "normal", lambda x: softmax(-x), 20, columns("nn.functional.softmin")),
]

SCANS = [
    R("cumsum", "even", np.cumsum, 4, columns("cumsum")),
    R("cumsum, of columns", "square", lambda x: x.cumsum(0), 4, columns("cumsum")),
    R("cumprod, of 1000", "near one", lambda x: x[:1000].cumprod(), 2000, lambda torch, x: x[:1000].cumprod(0)),
    R(
        "logcumsumexp, of 1000",
        "even",
        lambda x: np.logaddexp.accumulate(x[:1000]),
        40,
        lambda torch, x: x[:1000].logcumsumexp(0),
    ),
    R("cumulative_trapezoid", "even", lambda x: ((x[1:] + x[:-1]) / 2).cumsum(), 4),
]

PRODUCTS = [
    R("dot", "even", lambda x: np.square(x).sum(), 20, lambda torch, x: x.dot(x)),
    R("matmul", "square", lambda x: x @ x, 20, lambda torch, x: x @ x),
    R("nn.functional.linear", "square", lambda x: x @ x.T, 20, lambda torch, x: torch.nn.functional.linear(x, x)),
    R("einsum", "square", lambda x: (x * x).sum(1), 20, lambda torch, x: torch.einsum("ij,ij->i", x, x)),
]

LOSSES = [
    R(
        "nn.functional.mse_loss",
        "normal",
        lambda x: np.square(x).mean(),
        4,
        lambda torch, x: torch.nn.functional.mse_loss(x, torch.zeros_like(x)),
    ),
    R(
        "nn.functional.l1_loss",
        "normal",
        lambda x: np.abs(x).mean(),
        4,
        lambda torch, x: torch.nn.functional.l1_loss(x, torch.zeros_like(x)),
    ),
    R(
        "nn.functional.rms_norm",
        "square",
        lambda x: x / np.sqrt(np.square(x).mean(1, keepdims=True) + 1e-5),
        8,
        lambda torch, x: torch.nn.functional.rms_norm(x, (1000,), eps=1e-5),
    ),
]


def attention(x: np.ndarray) -> np.ndarray:
    x = x[:200, :64]
    return softmax_rows(x @ x.T / 8) @ x


def softmax_rows(x: np.ndarray) -> np.ndarray:
    return np.exp(x - special.logsumexp(x, axis=1, keepdims=True))


# along the rows of a matrix that lies otherwise in memory: how it comes about, for arrays and tensors alike
LAYOUTS = {"transposed": lambda x: x.T, "of every other column": lambda x: x[:, ::2]}
ALONG_ROWS: list[tuple[str, Callable, float, Callable]] = [
    ("sum", lambda x: x.sum(1), 8, lambda torch, x: x.sum(1)),
    ("mean", lambda x: x.mean(), 4, lambda torch, x: x.mean()),
    ("var", lambda x: variance(x, 1), 8, lambda torch, x: x.var(1)),
    ("norm", lambda x: np.sqrt(np.square(x).sum(1)), 8, lambda torch, x: x.norm(dim=1)),
    ("softmax", softmax_rows, 20, lambda torch, x: x.softmax(1)),
    ("logsumexp", lambda x: special.logsumexp(x, axis=1), 4, lambda torch, x: x.logsumexp(1)),
    ("cumsum", lambda x: x.cumsum(1), 4, lambda torch, x: x.cumsum(1)),
    (
        "nn.functional.mse_loss",
        lambda x: np.square(x).mean(),
        4,
        lambda torch, x: torch.nn.functional.mse_loss(x, torch.zeros_like(x)),
    ),
    (
        "nn.functional.scaled_dot_product_attention",
        attention,
        20,
        lambda torch, x: torch.nn.functional.scaled_dot_product_attention(*[x[:200, :64]] * 3),
    ),
]


def laid_out(row: tuple[str, Callable, float, Callable], words: str, lays: Callable) -> Reduction:
    name, exact, bound, call = row
    return R(f"{name}, {words}", "square", lambda x: exact(lays(x)), bound, lambda torch, x: call(torch, lays(x)))


ARRANGED = [laid_out(row, *layout) for row in ALONG_ROWS for layout in LAYOUTS.items()]

REDUCTIONS = [*SUMS, *SPREADS, *NORMS, *SOFTMAXES, *SCANS, *PRODUCTS, *LOSSES, *ARRANGED]

# Families whose functions all have a row above, unless they pick among the numbers they got or answer with whole ones.
FAMILIES = ("cumulative", "norms", "reductions", "softmax", "statistics")


def millions() -> dict[str, np.ndarray]:
    """The data of the reductions: a million float32 numbers each."""
    random = np.random.default_rng(0)
    even, normal = random.random(10**6), random.standard_normal(10**6)
    found = {
        "even": even,
        "square": even.reshape(1000, 1000),
        "narrow": even[:999999].reshape(-1, 3),
        "tenth": np.full(10**6, 0.1),
        "near one": 1 + (even - 0.5) / 16,
        "normal": normal,
        "offset": normal + 10000,
        "offset square": (normal + 10000).reshape(1000, 1000),
        "huge": normal * 1e30,
        "tiny": normal * 1e-30,
        "logits": (normal * 1e5).clip(-1e5, 1e5),
    }
    return {name: values.astype(FLOAT32) for name, values in found.items()}


def reduction_errors(torch: Any) -> dict[str, float]:
    """The largest relative error of each reduction, in units of 2**-24."""
    data, found = millions(), {}
    for row in REDUCTIONS:
        got = row.call(torch, torch.from_numpy(data[row.data])).numpy().astype(FLOAT64)
        with np.errstate(all="ignore"):
            right = np.asarray(row.exact(data[row.data].astype(FLOAT64)))
            usual = np.abs(right) >= SMALL
            found[row.name] = float(np.max(np.abs(got - right)[usual] / np.abs(right)[usual]) * 2**24)
    return found
