"""Errors of functions of single elements: the points where they are tried, and the distance from the exact value."""

from typing import Any

import numpy as np

from tools.accuracy.functions import Function

FLOAT32, FLOAT64 = np.dtype("float32"), np.dtype("float64")
POINTS, POINTS_IN_DIGITS = 20000, 150


def points(domains: list[tuple[float, float]], count: int, kind: np.dtype) -> list[np.ndarray]:
    """Numbers of each domain, equally many."""
    found = [points_between(low, high, count, kind, seed) for seed, (low, high) in enumerate(domains)]
    length = min(map(len, found))
    return [each[:length] for each in found]


def points_between(low: float, high: float, count: int, kind: np.dtype, seed: int) -> np.ndarray:
    """Numbers evenly spread, of every magnitude, close to zero, and the ends."""
    random = np.random.default_rng(seed)
    even = random.uniform(low / 2, high / 2, count // 2) + random.uniform(low / 2, high / 2, count // 2)
    sizes = sorted([abs(low), abs(high)]) if low * high > 0 else [1e-30, max(abs(low), abs(high))]
    spread = np.exp(random.uniform(*np.log(sizes), count // 2))
    signs = random.choice([-1.0, 1.0], count // 2) if low * high < 0 else 1.0 if high > 0 else -1.0
    found = np.concatenate([even, spread * signs, [low, high]]).astype(kind)
    return random.permutation(found[(found >= low) & (found <= high)])


def error(got: np.ndarray, exact: np.ndarray, kind: np.dtype) -> float:
    """The largest error in units in the last place of the exact value."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(kind)
        step = np.spacing(np.abs(rounded)).astype(FLOAT64)
        distance = np.abs(got.astype(FLOAT64) - exact) / step
    same = (rounded == got) | (np.isnan(rounded) & np.isnan(got))
    # beyond the largest number and below the smallest normal one, formats differ by design
    plain = np.isfinite(rounded) & ((np.abs(rounded) >= np.finfo(kind).tiny) | (exact == 0))
    distance = np.where(same & ~np.isfinite(distance), 0, distance)
    return float(np.max(distance[plain | (np.isnan(got) & ~np.isnan(rounded))], initial=0))


def call(torch: Any, row: Function, given: list[np.ndarray]) -> np.ndarray:
    """What the library answers."""
    arguments = dict(zip("xyz", map(torch.from_numpy, given), strict=False))
    written = row.call if "(" in row.call else f"{row.call}({', '.join(arguments)})"
    return eval(f"torch.{written}", {"torch": torch, **arguments}).numpy()


def error_of(torch: Any, row: Function) -> float:
    """The largest error of a function in float32."""
    given = points(row.domains, POINTS, FLOAT32)
    got = call(torch, row, given)
    with np.errstate(all="ignore"):
        exact = np.asarray(row.exact(*[each.astype(FLOAT64) for each in given]))
    return error(got, exact, FLOAT32)


def error_in_digits(torch: Any, row: Function) -> float | None:
    """The largest error of a function in float64, against mpmath with 60 digits; None where there is none."""
    if not row.digits:
        return None
    import mpmath

    given = points(row.domains, POINTS_IN_DIGITS, FLOAT64)
    got = call(torch, row, given)
    names = {name: getattr(mpmath, name) for name in dir(mpmath) if not name.startswith("_")} | {"abs": abs}
    form = eval(f"lambda x, y=None: {row.digits}", names)
    worst = 0.0
    with mpmath.workdps(60):
        for place in range(len(got)):
            exact = form(*[mpmath.mpf(float(each[place])) for each in given])
            exact = exact.real if isinstance(exact, mpmath.mpc) else exact
            rounded = float(exact)
            if np.isfinite(rounded) and abs(rounded) >= np.finfo(FLOAT64).tiny:
                worst = max(worst, float(abs(mpmath.mpf(float(got[place])) - exact) / np.spacing(abs(rounded))))
    return worst
