"""How exact the functions are: errors in units in the last place, beside torch's where that is installed.

    python tools/accuracy.py [names]

measures Rushlight's plain and native layers and torch, each in a process of its own, and prints the tables of
docs/accuracy.md. The exact values are those of double precision (NumPy, SciPy) for float32 and of mpmath for float64.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

FLOAT32, FLOAT64 = np.dtype("float32"), np.dtype("float64")
POINTS, POINTS_IN_DIGITS = 20000, 150
SMALL, LARGE = 1.2e-38, 3.4e38


class Function(NamedTuple):
    """A pointwise function: its name in torch, its domain, the exact form, and the error that is allowed."""

    name: str
    low: float
    high: float
    exact: str  # of NumPy, or after a colon of scipy.special; in float64
    bound: float  # in units in the last place of float32
    digits: str = ""  # in mpmath, of x; empty where there is no such check
    options: tuple[tuple[str, Any], ...] = ()


FUNCTIONS = [
    Function("exp", -100, 89, "exp", 4, "exp(x)"),
    Function("exp2", -140, 128, "exp2", 4, "mpf(2) ** x"),
    Function("expm1", -100, 89, "expm1", 4, "expm1(x)"),
    Function("log", SMALL, LARGE, "log", 4, "log(x)"),
    Function("log2", SMALL, LARGE, "log2", 4, "log(x, 2)"),
    Function("log10", SMALL, LARGE, "log10", 1, "log10(x)"),
    Function("log1p", -0.9999, LARGE, "log1p", 4, "log1p(x)"),
    Function("sqrt", SMALL, LARGE, "sqrt", 0.5, "sqrt(x)"),
    Function("rsqrt", SMALL, LARGE, ":rsqrt", 4, "1 / sqrt(x)"),
    Function("reciprocal", -LARGE, LARGE, "reciprocal", 0.5, "1 / x"),
    Function("square", -1e19, 1e19, "square", 0.5, "x * x"),
    Function("sin", -1e5, 1e5, "sin", 4, "sin(x)"),
    Function("cos", -1e5, 1e5, "cos", 4, "cos(x)"),
    Function("tan", -1e5, 1e5, "tan", 4, "tan(x)"),
    Function("asin", -1, 1, "arcsin", 4, "asin(x)"),
    Function("acos", -1, 1, "arccos", 4, "acos(x)"),
    Function("atan", -LARGE, LARGE, "arctan", 4, "atan(x)"),
    Function("sinh", -89, 89, "sinh", 4, "sinh(x)"),
    Function("cosh", -89, 89, "cosh", 4, "cosh(x)"),
    Function("tanh", -20, 20, "tanh", 4, "tanh(x)"),
    Function("asinh", -LARGE, LARGE, "arcsinh", 4, "asinh(x)"),
    Function("acosh", 1, LARGE, "arccosh", 4, "acosh(x)"),
    Function("atanh", -0.99999, 0.99999, "arctanh", 4, "atanh(x)"),
    Function("sinc", -0.5, 0.5, "sinc", 4, "sincpi(x)"),
    Function("sigmoid", -88, 88, ":expit", 4, "1 / (1 + exp(-x))"),
    Function("logit", 1e-30, 0.4, ":logit", 8, "log(x / (1 - x))"),
    Function("erf", -6, 6, ":erf", 4, "erf(x)"),
    Function("erfc", -6, 9, ":erfc", 1, "erfc(x)"),
    Function("erfinv", -0.99999, 0.99999, ":erfinv", 1, "erfinv(x)"),
    Function("lgamma", 0.01, 1e30, ":gammaln", 1, "loggamma(x)"),
    Function("digamma", 0.01, 1e30, ":digamma", 1, "digamma(x)"),
    Function("special.entr", SMALL, 1e30, ":entr", 1, "-x * log(x)"),
    Function("special.erfcx", -9, 1e30, ":erfcx", 1, "exp(x * x) * erfc(x)"),
    Function("special.ndtr", -12, 8, ":ndtr", 200, "ncdf(x)"),
    Function("special.ndtri", 1e-30, 0.99999, ":ndtri", 1),
    Function("special.log_ndtr", -1e4, 8, ":log_ndtr", 1, "log(ncdf(x))"),
    Function("special.i0", -80, 80, ":i0", 1, "besseli(0, x)"),
    Function("special.i0e", -1e4, 1e4, ":i0e", 1, "besseli(0, x) * exp(-abs(x))"),
    Function("special.i1", -80, 80, ":i1", 1, "besseli(1, x)"),
    Function("special.i1e", -1e4, 1e4, ":i1e", 1, "besseli(1, x) * exp(-abs(x))"),
    Function("special.modified_bessel_k0", 1e-30, 80, ":k0", 1, "besselk(0, x)"),
    Function("special.modified_bessel_k1", 1e-30, 80, ":k1", 1, "besselk(1, x)"),
    Function("special.scaled_modified_bessel_k0", 1e-30, 1e4, ":k0e", 1, "besselk(0, x) * exp(x)"),
    Function("special.scaled_modified_bessel_k1", 1e-30, 1e4, ":k1e", 1, "besselk(1, x) * exp(x)"),
    Function("special.spherical_bessel_j0", -50, 50, ":spherical_j0", 4, "sinc(x)"),
    Function("nn.functional.softplus", -100, 100, ":softplus", 4, "log1p(exp(x))", (("threshold", 1000),)),
    Function("nn.functional.logsigmoid", -1e4, 100, ":log_expit", 4, "-log1p(exp(-x))"),
    Function("nn.functional.gelu", -12, 12, ":gelu", 4, "x * ncdf(x)"),
    Function("nn.functional.silu", -85, 85, ":silu", 4, "x / (1 + exp(-x))"),
    Function("nn.functional.mish", -85, 85, ":mish", 4, "x * tanh(log1p(exp(x)))"),
    Function("nn.functional.elu", -80, 80, ":elu", 4, "x if x > 0 else expm1(x)"),
    Function("nn.functional.softsign", -LARGE / 2, LARGE / 2, ":softsign", 4, "x / (1 + abs(x))"),
    Function("nn.functional.tanhshrink", 0.5, 20, ":tanhshrink", 200, "x - tanh(x)"),
]


class Pair(NamedTuple):
    """A pointwise function of two tensors, as `Function`; both domains are given."""

    name: str
    first: tuple[float, float]
    second: tuple[float, float]
    exact: str
    bound: float
    digits: str = ""
    options: tuple[tuple[str, Any], ...] = ()


PAIRS = [
    Pair("add", (-1e30, 1e30), (-1e30, 1e30), "add", 0.5, "x + y"),
    Pair("mul", (-1e18, 1e18), (-1e18, 1e18), "multiply", 0.5, "x * y"),
    Pair("div", (-1e18, 1e18), (-1e18, 1e18), "divide", 0.5, "x / y"),
    Pair("pow", (1e-5, 100), (-15, 15), "power", 4, "x ** y"),
    Pair("atan2", (-1e18, 1e18), (-1e18, 1e18), "arctan2", 4, "atan2(x, y)"),
    Pair("hypot", (-1e38, 1e38), (-1e38, 1e38), "hypot", 1, "hypot(x, y)"),
    Pair("logaddexp", (-1e4, 1e4), (-1e4, 1e4), "logaddexp", 8),
    Pair("logaddexp2", (-1e4, 1e4), (-1e4, 1e4), "logaddexp2", 20),
    Pair("xlogy", (-1e18, 1e18), (SMALL, 1e18), ":xlogy", 4, "x * log(y)"),
    Pair("special.xlog1py", (-1e18, 1e18), (-0.999, 1e18), ":xlog1py", 4, "x * log1p(y)"),
    Pair("special.zeta", (1.1, 50), (0.1, 50), ":zeta", 1),
    Pair("igamma", (0.1, 50), (0.1, 50), ":gammainc", 1),
    Pair("igammac", (0.1, 50), (0.1, 50), ":gammaincc", 1),
]


class Special:
    """Exact forms that SciPy has not, or not under that name; computed in float64."""

    rsqrt = staticmethod(lambda x: 1 / np.sqrt(x))
    softplus = staticmethod(lambda x: np.logaddexp(0, x))
    softsign = staticmethod(lambda x: x / (1 + np.abs(x)))
    elu = staticmethod(lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))))
    mish = staticmethod(lambda x: x * np.tanh(np.logaddexp(0, x)))

    @staticmethod
    def spherical_j0(x):
        return np.where(x == 0, 1, np.sin(x) / np.where(x == 0, 1, x))

    @staticmethod
    def tanhshrink(x):
        series = x**3 / 3 - 2 * x**5 / 15 + 17 * x**7 / 315 - 62 * x**9 / 2835
        return np.where(np.abs(x) < 0.02, series, x - np.tanh(x))

    @staticmethod
    def gelu(x):
        from scipy import special

        return x * special.ndtr(x)

    @staticmethod
    def silu(x):
        from scipy import special

        return x * special.expit(x)


def exact_form(name: str) -> Callable:
    """A function of float64 arrays."""
    if not name.startswith(":"):
        return getattr(np, name)
    if hasattr(Special, name[1:]):
        return getattr(Special, name[1:])
    return getattr(importlib.import_module("scipy.special"), name[1:])


def points(low: float, high: float, count: int, kind: np.dtype, seed: int = 0) -> np.ndarray:
    """Numbers of the domain: evenly spread, of every magnitude, close to zero, and its ends."""
    random = np.random.default_rng(seed)
    even = random.uniform(low / 2, high / 2, count // 2) + random.uniform(low / 2, high / 2, count // 2)
    bottom = low if low > 0 else 1e-30
    sizes = np.exp(random.uniform(np.log(bottom), np.log(max(abs(low), abs(high))), count // 2))
    signs = random.choice([-1.0, 1.0], count // 2) if low < 0 else 1.0
    found = np.concatenate([even, sizes * signs, [low, high]]).astype(kind)
    return random.permutation(found[(found >= low) & (found <= high)])


def error(got: np.ndarray, exact: np.ndarray, kind: np.dtype) -> float:
    """The largest error in units in the last place of the exact value."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(kind)
        step = np.spacing(np.abs(rounded)).astype(FLOAT64)
        distance = np.abs(got.astype(FLOAT64) - exact) / step
    same = (rounded == got) | (np.isnan(rounded) & np.isnan(got))
    # beyond the largest number and below the smallest normal one, formats differ by design
    plain = np.isfinite(rounded) & (np.abs(rounded) >= np.finfo(kind).tiny)
    distance = np.where(same & ~np.isfinite(distance), 0, distance)
    return float(np.max(distance[plain | (np.isnan(got) & ~np.isnan(rounded))], initial=0))


def find(torch: Any, name: str) -> Callable | None:
    for part in name.split("."):
        torch = getattr(torch, part, None)
    return torch


def error_of(torch: Any, row: Any) -> float:
    """The largest error of a function in float32."""
    if isinstance(row, Pair):
        given = [points(*row.first, POINTS, FLOAT32), points(*row.second, POINTS, FLOAT32, seed=1)]
        length = min(len(given[0]), len(given[1]))
        given = [each[:length] for each in given]
    else:
        given = [points(row.low, row.high, POINTS, FLOAT32)]
    function = find(torch, row.name)
    got = function(*[torch.from_numpy(each) for each in given], **dict(row.options)).numpy()
    with np.errstate(all="ignore"):
        exact = exact_form(row.exact)(*[each.astype(FLOAT64) for each in given])
    return error(got, exact, FLOAT32)


def error_in_digits(torch: Any, row: Any) -> float | None:
    """The largest error of a function in float64, against mpmath with 40 digits; None where there is none."""
    if not row.digits:
        return None
    import mpmath

    domains = (row.first, row.second) if isinstance(row, Pair) else ((row.low, row.high),)
    given = [points(*domain, POINTS_IN_DIGITS, FLOAT64, seed) for seed, domain in enumerate(domains)]
    length = min(map(len, given))
    given = [each[:length] for each in given]
    got = find(torch, row.name)(*[torch.from_numpy(each) for each in given], **dict(row.options)).numpy()
    names = {name: getattr(mpmath, name) for name in dir(mpmath) if not name.startswith("_")} | {"abs": abs}
    form = eval(f"lambda x, y=None: {row.digits}", names)
    worst = 0.0
    with mpmath.workdps(60):
        for place in range(length):
            exact = form(*[mpmath.mpf(float(each[place])) for each in given])
            exact = exact.real if isinstance(exact, mpmath.mpc) else exact
            rounded = float(exact)
            if np.isfinite(rounded) and abs(rounded) >= np.finfo(FLOAT64).tiny:
                worst = max(worst, float(abs(mpmath.mpf(float(got[place])) - exact) / np.spacing(abs(rounded))))
    return worst


def norm(x: np.ndarray, order: int = 2) -> np.ndarray:
    largest = np.abs(x).max()
    return (np.abs(x / largest) ** order).sum() ** (1 / order) * largest


def log_sum(x: np.ndarray) -> np.ndarray:
    return x.max() + np.log(np.exp(x - x.max()).sum())


# by name: the data, the error that is allowed, the method of a tensor, and the exact form in float64
REDUCTIONS: dict[str, tuple[str, float, Callable, Callable]] = {
    "sum": ("even", 4, lambda x: x.sum(), np.sum),
    "sum of 0.1": ("tenth", 4, lambda x: x.sum(), np.sum),
    "sum of columns": ("square", 8, lambda x: x.sum(0), lambda x: x.sum(0)),
    "sum of rows": ("square", 4, lambda x: x.sum(1), lambda x: x.sum(1)),
    "mean": ("even", 4, lambda x: x.mean(), np.mean),
    "mean of columns": ("square", 8, lambda x: x.mean(0), lambda x: x.mean(0)),
    "mean, offset 1e4": ("offset", 4, lambda x: x.mean(), np.mean),
    "var": ("normal", 4, lambda x: x.var(), lambda x: x.var(ddof=1)),
    "var, offset 1e4": ("offset", 4, lambda x: x.var(), lambda x: x.var(ddof=1)),
    "var of columns, offset 1e4": (
        "offset",
        20,
        lambda x: x.view(1000, 1000).var(0),
        lambda x: x.reshape(1000, 1000).var(0, ddof=1),
    ),
    "std, offset 1e4": ("offset", 4, lambda x: x.std(), lambda x: x.std(ddof=1)),
    "std of columns": ("square", 8, lambda x: x.std(0), lambda x: x.std(0, ddof=1)),
    "norm": ("normal", 4, lambda x: x.norm(), norm),
    "norm of columns": ("square", 4, lambda x: x.norm(dim=0), lambda x: np.sqrt(np.square(x).sum(0))),
    "norm of 1e30": ("huge", 4, lambda x: x.norm(), norm),
    "norm of 1e-30": ("tiny", 4, lambda x: x.norm(), norm),
    "norm of order 3 of 1e30": ("huge", 4, lambda x: x.norm(3), lambda x: norm(x, 3)),
    "logsumexp": ("normal", 4, lambda x: x.logsumexp(0), log_sum),
    "logsumexp, logits to 1e5": ("logits", 4, lambda x: x.logsumexp(0), log_sum),
    "softmax": ("normal", 20, lambda x: x.softmax(0), lambda x: np.exp(x - log_sum(x))),
    "softmax, logits to 1e5": ("logits", 4, lambda x: x.softmax(0), lambda x: np.exp(x - log_sum(x))),
    "log_softmax": ("normal", 4, lambda x: x.log_softmax(0), lambda x: x - log_sum(x)),
    "log_softmax, logits to 1e5": ("logits", 4, lambda x: x.log_softmax(0), lambda x: x - log_sum(x)),
    "cumsum": ("even", 4, lambda x: x.cumsum(0), np.cumsum),
    "cumsum of columns": ("square", 4, lambda x: x.cumsum(0), lambda x: x.cumsum(0)),
    "dot": ("even", 20, lambda x: x.dot(x), lambda x: np.square(x).sum()),
    "matmul": ("square", 20, lambda x: x @ x, lambda x: x @ x),
}


def millions() -> dict[str, np.ndarray]:
    """The data of the reductions: a million float32 numbers each."""
    random = np.random.default_rng(0)
    even, normal = random.random(10**6), random.standard_normal(10**6)
    found = {
        "even": even,
        "square": even.reshape(1000, 1000),
        "tenth": np.full(10**6, 0.1),
        "normal": normal,
        "offset": normal + 10000,
        "huge": normal * 1e30,
        "tiny": normal * 1e-30,
        "logits": (normal * 1e5).clip(-1e5, 1e5),
    }
    return {name: values.astype(FLOAT32) for name, values in found.items()}


def reduction_errors(torch: Any) -> dict[str, float]:
    """The largest relative error of each reduction, in units of 2**-24."""
    data, found = millions(), {}
    for name, (given, _, function, exact) in REDUCTIONS.items():
        got = function(torch.from_numpy(data[given])).numpy().astype(FLOAT64)
        with np.errstate(all="ignore"):
            right = np.asarray(exact(data[given].astype(FLOAT64)))
            usual = np.abs(right) >= SMALL
            found[name] = float(np.max(np.abs(got - right)[usual] / np.abs(right)[usual]) * 2**24)
    return found


def measure(library: str, names: list[str]) -> dict[str, Any]:
    """All errors of one library."""
    torch = importlib.import_module(library)
    torch.set_num_threads(1)
    rows = [row for row in [*FUNCTIONS, *PAIRS] if not names or row.name in names]
    return {
        "float32": {row.name: error_of(torch, row) for row in rows},
        "float64": {row.name: error_in_digits(torch, row) for row in rows},
        "reductions": {} if names else reduction_errors(torch),
    }


def ask(library: str, names: list[str], native: str) -> dict[str, Any]:
    """All errors of one library, measured in a process of its own; empty where it is not installed."""
    command = [sys.executable, "-W", "ignore", __file__, "--measure", library, *names]
    environment = {**os.environ, "RUSHLIGHT_NATIVE": native}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    if ran.returncode:
        print(ran.stderr, file=sys.stderr)
    return json.loads(ran.stdout) if ran.returncode == 0 else {}


def show(value: float | None) -> str:
    return "" if value is None else "inf" if not np.isfinite(value) else f"{value:.3g}"


def table(columns: list[dict[str, Any]], part: str, title: str) -> None:
    print(f"\n| {title} | plain | native | torch |\n|---|---:|---:|---:|")
    for name in columns[0][part]:
        found = [each.get(part, {}).get(name) for each in columns]
        if any(value is not None for value in found):
            print(f"| `{name}` | " + " | ".join(show(value) for value in found) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description="Errors in units in the last place.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--measure", metavar="LIBRARY", help="print the errors of one library as JSON")
    options = parser.parse_args()
    if options.measure:
        json.dump(measure(options.measure, options.names), sys.stdout)
        return
    columns = [ask("rushlight", options.names, "0"), ask("rushlight", options.names, "1")]
    columns.append(ask("torch", options.names, "0"))
    table(columns, "float32", "float32, in units in the last place")
    table(columns, "float64", "float64, in units in the last place")
    if not options.names:
        table(columns, "reductions", "reductions of 10^6 float32 numbers, relative error / 2^-24")


if __name__ == "__main__":
    main()
