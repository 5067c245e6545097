"""Shapes of windows, in double precision.

A symmetric window of `count` points ends as it begins; one that is not is a symmetric one of one point more, without
its last point, so that copies of it follow each other smoothly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rushlight.ops.machine.straight import straightened
from rushlight.ops.pointwise.trigonometric import cos, sin

BLACKMAN = (0.42, 0.5, 0.08)
NUTTALL = (0.3635819, 0.4891775, 0.1365995, 0.0106411)


def steps(count: int, symmetric: bool) -> int:
    """The number of steps from the first point of a window to its end."""
    return count - 1 if symmetric or count == 1 else count


def cosines(count: int, symmetric: bool, weights: Sequence[float], backwards: bool = False) -> np.ndarray:
    """The alternating sum of weighted cosines, of no period, one period, two ...; a single point is 1.

    The order decides what rounding leaves of a point that is zero.
    """
    if count == 1:
        return np.ones(1)
    angles = np.arange(count, dtype=np.float64)
    angles *= 2 * math.pi / max(steps(count, symmetric), 1)
    found = np.zeros(count)
    places = range(len(weights))
    for place in reversed(places) if backwards else places:
        # the cosine of no period is 1; the others by the op, whose kernel takes a quarter of NumPy's time
        term = straightened(cos, place * angles) if place else 1.0
        term *= (-1) ** place * weights[place]
        found += term
    return found


def triangle(count: int, symmetric: bool) -> np.ndarray:
    """From 0 up to 1 and down again, in straight lines."""
    return 1 - np.abs(centered(count, symmetric)) / (max(steps(count, symmetric), 1) / 2)


def half_sine(count: int, symmetric: bool) -> np.ndarray:
    """Half a period of the sine, between its zeros."""
    return straightened(sin, (np.arange(count) + 0.5) * (math.pi / max(steps(count, symmetric) + 1, 1)))


def bell(count: int, symmetric: bool, deviation: float) -> np.ndarray:
    """The normal density, 1 at its peak."""
    return np.exp(-0.5 * (centered(count, symmetric) / deviation) ** 2)


def peak(count: int, symmetric: bool, center: float | None, tau: float) -> np.ndarray:
    """An exponential up to 1 at the center, and another down."""
    distances = centered(count, symmetric) if center is None else np.arange(count) - center
    return np.exp(-np.abs(distances) / tau)


def kaiser(count: int, symmetric: bool, beta: float) -> np.ndarray:
    """Kaiser's window: a modified Bessel function over a half circle of radius `beta`."""
    from scipy.special import i0e

    places = centered(count, symmetric) / (max(steps(count, symmetric), 1) / 2)
    heights = abs(beta) * np.sqrt(np.maximum(1 - places**2, 0))
    # scaled by exp(-x), which does not overflow
    return i0e(heights) / i0e(beta) * np.exp(heights - abs(beta))


def centered(count: int, symmetric: bool) -> np.ndarray:
    """Places counted from the middle of the window."""
    return np.arange(count) - steps(count, symmetric) / 2
