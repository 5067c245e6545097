"""Polynomials: the orthogonal families, by their recurrences; as in torch they have no gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.ops.machine.declare import op
from rushlight.ops.machine.kinds import require_tensor
from rushlight.ops.machine.layouts import COMMON
from rushlight.ops.machine.rules import REAL_FLOAT
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import ELEMENTWISE

HIGHEST = 100_000
# from this degree on torch takes the polynomials of Chebyshev between -1 and 1 from angles, at once
BY_ANGLE = 7
Recurrence = Callable[[int, Any, Any, Any], Any]


def chebyshev(k: int, x: Any, last: Any, before: Any) -> Any:
    return 2 * x * last - before


def shifted(k: int, x: Any, last: Any, before: Any) -> Any:
    return chebyshev(k, 2 * x - 1, last, before)


# the polynomials of Chebyshev at the cosine of an angle, by the last letter of their names
ANGLES: dict[str, Callable[[Any, Any], Any]] = {
    "t": lambda angle, n: np.cos(n * angle),
    "u": lambda angle, n: np.sin((n + 1) * angle) / np.sin(angle),
    "v": lambda angle, n: np.cos((n + 0.5) * angle) / np.cos(angle / 2),
    "w": lambda angle, n: np.sin((n + 0.5) * angle) / np.sin(angle / 2),
}


# name, family, values of degrees 0 to 3 at 2, degree 1, and degree k + 1 from degrees k and k - 1; degree 0 is always 1
POLYNOMIALS: list[tuple[str, str, str, Callable[[Any], Any], Recurrence]] = [
    ("chebyshev_polynomial_t", "Chebyshev, first kind", "[ 1.,  2.,  7., 26.]", lambda x: x, chebyshev),
    ("chebyshev_polynomial_u", "Chebyshev, second kind", "[ 1.,  4., 15., 56.]", lambda x: 2 * x, chebyshev),
    ("chebyshev_polynomial_v", "Chebyshev, third kind", "[ 1.,  3., 11., 41.]", lambda x: 2 * x - 1, chebyshev),
    ("chebyshev_polynomial_w", "Chebyshev, fourth kind", "[ 1.,  5., 19., 71.]", lambda x: 2 * x + 1, chebyshev),
    (
        "shifted_chebyshev_polynomial_t",
        "Chebyshev, first kind, of 2x - 1",
        "[ 1.,  3., 17., 99.]",
        lambda x: 2 * x - 1,
        shifted,
    ),
    (
        "shifted_chebyshev_polynomial_u",
        "Chebyshev, second kind, of 2x - 1",
        "[  1.,   6.,  35., 204.]",
        lambda x: 4 * x - 2,
        shifted,
    ),
    (
        "shifted_chebyshev_polynomial_v",
        "Chebyshev, third kind, of 2x - 1",
        "[  1.,   5.,  29., 169.]",
        lambda x: 4 * x - 3,
        shifted,
    ),
    (
        "shifted_chebyshev_polynomial_w",
        "Chebyshev, fourth kind, of 2x - 1",
        "[  1.,   7.,  41., 239.]",
        lambda x: 4 * x - 1,
        shifted,
    ),
    (
        "hermite_polynomial_h",
        "Hermite, physicists'",
        "[ 1.,  4., 14., 40.]",
        lambda x: 2 * x,
        lambda k, x, p, q: 2 * x * p - 2 * k * q,
    ),
    (
        "hermite_polynomial_he",
        "Hermite, probabilists'",
        "[1., 2., 3., 2.]",
        lambda x: x,
        lambda k, x, p, q: x * p - k * q,
    ),
    (
        "laguerre_polynomial_l",
        "Laguerre",
        "[ 1.0000, -1.0000, -1.0000, -0.3333]",
        lambda x: 1 - x,
        lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1),
    ),
    (
        "legendre_polynomial_p",
        "Legendre",
        "[ 1.0000,  2.0000,  5.5000, 17.0000]",
        lambda x: x,
        lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1),
    ),
]

degrees = cases(
    lambda make: [
        case(make.floats(3, 4), make.ints(4, low=0, high=8)),
        case(make.floats(4), 3),
        case(0.5, make.ints(4, low=-1)),
        case(make.floats(4, dtype="float64"), make.floats(4, low=0, high=5, dtype="float64")),
        case(make.ints(4), make.ints(4)),
        case(make.floats(0), 2),
    ]
)


def evaluate(name: str, x: Any, n: Any, first: Callable, following: Recurrence) -> np.ndarray:
    """The polynomials of degrees `n` at `x`; a negative degree gives 0."""
    require_tensor(x, n)
    x, n = np.asarray(x), np.trunc(n)
    # in double precision: float32 loses 8 units in the last place by degree 5
    kind, x = (x if x.dtype.kind == "f" else n).dtype, x.astype(np.float64)
    if "chebyshev" not in name or not (n >= BY_ANGLE).any():
        return by_recurrence(x, n, first, following).astype(kind)
    x, n = np.broadcast_arrays(x, n)
    cosine = 2 * x - 1 if name.startswith("shifted") else x
    at_once = (n >= BY_ANGLE) & (np.abs(cosine) < 1)
    found = by_recurrence(x, np.where(at_once, 0, n), first, following)
    found[at_once] = ANGLES[name[-1]](np.arccos(cosine[at_once]), n[at_once])
    return found.astype(kind)


def by_recurrence(x: np.ndarray, n: np.ndarray, first: Callable, following: Recurrence) -> np.ndarray:
    """The same, each degree from the two before it."""
    highest = n.max(initial=0)
    if not highest <= HIGHEST:
        raise RuntimeError(f"degree {highest} is too high: the recurrence takes a step for each degree up to it")
    before, last = np.ones_like(x), first(x)
    # points and degrees are spread over each other here alone: often one of them is a row, or a number
    found = np.zeros(np.broadcast_shapes(x.shape, n.shape))
    np.copyto(found, 1, where=n == 0)
    np.copyto(found, last, where=n == 1)
    for k in range(1, int(highest)):
        before, last = last, following(k, x, last, before)
        np.copyto(found, last, where=n == k + 1)
        if last.size and np.isnan(last.flat[0]) and np.isnan(last).all():
            # all that follow are too
            np.copyto(found, last, where=n > k)
            return found
    return found


def declare(name: str, family: str, values: str, first: Callable, following: Recurrence) -> None:
    def body(input, n, *, out=None):
        return evaluate(name, input, n, first, following)

    body.__doc__ = f"""The polynomial of degree `n` ({family}) at each element.

    >>> torch.special.{name}(torch.tensor(2.0), torch.arange(4))
    tensor({values})
    """
    op(dtype=REAL_FLOAT, batch=ELEMENTWISE, layout=COMMON, samples=degrees, name=f"special.{name}", inplace=False)(body)


for each in POLYNOMIALS:
    declare(*each)
