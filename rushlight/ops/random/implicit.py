"""Implicit gradients: how far a gamma or beta number moves with its parameter while its quantile stays the same.

A number x with distribution function F and density p moves by -(dF/dalpha) / p(x). Here dF/dalpha is the integral of
(log t - the mean of log t) p(t) up to x, which is minus the integral from x on: the side without a change of sign is
taken, so nothing cancels. Arrays are float64 and have one dimension.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

NODES = 32
LEAST = 38.0  # integrands are followed down to exp(-LEAST)
PIECE = 2**13


def gamma_slope(alpha: np.ndarray, x: np.ndarray) -> np.ndarray:
    """dx / dalpha for x from the gamma distribution with parameter `alpha`."""
    from scipy.special import digamma

    mean_log = digamma(alpha)
    lower = np.log(x) < mean_log + 1 / alpha
    short = lower & (alpha < 10)
    ways = [
        (short, gamma_series),
        (lower & ~short, lambda *row: gamma_integral(*row, side=-1.0)),
        (~lower, lambda *row: gamma_integral(*row, side=1.0)),
    ]
    return pick(ways, alpha, x, mean_log)


def pick(ways: list[tuple[np.ndarray, Callable]], *columns: np.ndarray) -> np.ndarray:
    """The result of each way where its mask says so, a limited number of elements at a time."""
    result = np.empty_like(columns[0])
    for mask, way in ways:
        places = mask.nonzero()[0]
        for start in range(0, len(places), PIECE):
            piece = places[start : start + PIECE]
            result[piece] = way(*[column[piece] for column in columns])
    return result


def gamma_series(alpha: np.ndarray, x: np.ndarray, mean_log: np.ndarray) -> np.ndarray:
    """From F as a power series in x; all terms are positive where x is below its mean."""
    weight = mean_log + 1 / alpha - np.log(x)
    term = x / alpha
    total = term * weight
    for n in range(1, 200):
        shifted = alpha + n
        term *= x / shifted
        weight += 1 / shifted
        change = term * weight
        total += change
        if (change <= total * 1e-17).all():
            break
    return total


def gamma_integral(alpha: np.ndarray, x: np.ndarray, mean_log: np.ndarray, side: float) -> np.ndarray:
    """Over t = x exp(side * s), s from 0 up to where nothing is left, by Gauss's rule."""
    if side > 0:  # exp(s) - 1 >= s + s * s / 2
        rest = x - alpha
        end = (np.sqrt(rest * rest + 2 * LEAST * x) - rest) / x
    else:  # 1 - exp(-s) <= 2 * s / (2 + s)
        rest = 2 * (alpha - x) - LEAST
        end = (np.sqrt(rest * rest + 8 * LEAST * alpha) - rest) / (2 * alpha)
    points, weights = np.polynomial.legendre.leggauss(NODES)
    s = end[:, None] * (0.5 + 0.5 * points)
    density = np.exp(side * alpha[:, None] * s - x[:, None] * np.expm1(side * s))
    density *= s + (side * (np.log(x) - mean_log))[:, None]
    return 0.5 * x * end * (density @ weights)


def beta_slope(x: np.ndarray, alpha: np.ndarray, total: np.ndarray) -> np.ndarray:
    """dx / dalpha / (1 - x) for x from the beta distribution with parameters `alpha` and `total - alpha`."""
    from scipy.special import digamma

    beta, log_x = total - alpha, np.log(x)
    mean_log = digamma(alpha) - digamma(total)
    small = (x <= 0.5) & (alpha < 50) & (log_x <= mean_log + 1 / alpha)
    large = (x > 0.5) & (beta < 50) & (log_x >= mean_log)
    lower = ~small & ~large & (log_x < mean_log)
    ways = [
        (small, lambda *row: beta_series(*row, upper=False)),
        (large, lambda *row: beta_series(*row, upper=True)),
        (lower, lambda *row: beta_integral(*row, upper=False)),
        (~small & ~large & ~lower, lambda *row: beta_integral(*row, upper=True)),
    ]
    return pick(ways, alpha, beta, x, mean_log)


def beta_series(alpha: np.ndarray, beta: np.ndarray, x: np.ndarray, mean_log: np.ndarray, upper: bool) -> np.ndarray:
    """From F as a power series in x, or from 1 - F as one in 1 - x."""
    total, base = alpha + beta, 1 - x if upper else x
    own = beta if upper else alpha
    weight = np.log(x) - mean_log if upper else mean_log + 1 / alpha - np.log(x)
    term = x / own
    result = term * weight
    for n in range(400):
        before, after = total + n, own + (n + 1)
        term *= before / after * base
        weight += 1 / before if upper else 1 / after - 1 / before
        change = term * weight
        result += change
        if (change <= result * 1e-17).all():
            break
    return result


def beta_integral(alpha: np.ndarray, beta: np.ndarray, x: np.ndarray, mean_log: np.ndarray, upper: bool) -> np.ndarray:
    """Over t = x exp(-s), or 1 - t = (1 - x) exp(-s), from s = 0 on, by the double exponential rule."""
    own, other, base = (beta, alpha, 1 - x) if upper else (alpha, beta, x)
    # the width of the integrand, from its slope and its curvature at s = 0
    pull = np.maximum(other - 1, 0) * base / (1 - base)
    slope, curvature = own - pull, pull / (1 - base)
    width = 2 / (slope + np.sqrt(slope * slope + 2 * curvature))
    steps = np.linspace(-3.6, 4, 2 * NODES)
    points = np.exp(steps - np.exp(-steps))
    s = width[:, None] * points
    density = np.exp((other - 1)[:, None] * np.log1p(np.expm1(-s) * (base / (base - 1))[:, None]) - own[:, None] * s)
    if upper:
        density *= np.log1p(-base[:, None] * np.exp(-s)) - mean_log[:, None]
    else:
        density *= s + (mean_log - np.log(x))[:, None]
    weights = points * (1 + np.exp(-steps)) * (steps[1] - steps[0])
    return width * (density @ weights) * (1 if upper else x / (1 - x))


def von_mises_slope(angle: np.ndarray, concentration: np.ndarray) -> np.ndarray:
    """d angle / d concentration for an angle from the von Mises distribution around 0.

    dF/dconcentration is the integral of (cos t - the mean of cos t) p(t), here over t from 0 or up to pi: on either
    side of the angle where the two cosines are equal there is no change of sign.
    """
    from scipy.special import i0e, i1e

    angle = (angle + np.pi) % (2 * np.pi) - np.pi
    distance = np.abs(angle)
    mean_cosine = i1e(concentration) / i0e(concentration)
    inner = np.cos(distance) > mean_cosine
    # beyond this angle nothing is left of the density
    last = np.arccos(np.maximum(np.cos(distance) - LEAST / concentration, -1))
    start, end = np.where(inner, 0, distance), np.where(inner, distance, last)
    points, weights = np.polynomial.legendre.leggauss(2 * NODES)
    t = start[:, None] + (end - start)[:, None] * (0.5 + 0.5 * points)
    growth = np.exp(concentration[:, None] * (np.cos(t) - np.cos(distance)[:, None]))
    total = 0.5 * (end - start) * (((np.cos(t) - mean_cosine[:, None]) * growth) @ weights)
    return np.sign(angle) * np.where(inner, -total, total)
