"""Integrals over the values of single numbers: totals, moments, entropies and distribution functions from log_prob."""

import math

import numpy as np

import rushlight as torch

NODES = 1601


def ends(distribution):
    """The bounds of the support, of the batch's shape; infinite where there is none."""
    region = distribution.support
    while hasattr(region, "base_constraint"):
        region = region.base_constraint
    low = getattr(region, "lower_bound", -math.inf)
    high = getattr(region, "upper_bound", math.inf)
    if type(region).__name__ == "_Boolean":
        low, high = 0, 1
    found = [
        each.detach().numpy() if isinstance(each, torch.Tensor) else np.asarray(each, float) for each in (low, high)
    ]
    # the bounds of a mixture are those of all its components
    shape = tuple(distribution.batch_shape)
    if found[0].ndim > len(shape):
        found = [found[0].min(-1), found[1].max(-1)]
    return [np.broadcast_to(each, shape) for each in found]


class Grid:
    """Values with weights, so that `weights * f(values)` sums to the integral of f over the support."""

    def __init__(self, distribution, low, high):
        t = np.linspace(-4, 4, NODES).reshape(-1, *[1] * low.ndim)
        step, angle = 8 / (NODES - 1), np.pi / 2 * np.sinh(t)
        slope = np.pi / 2 * np.cosh(t) * step
        drawn = distribution.sample((999,)).detach().numpy()
        center, width = np.median(drawn, 0), np.subtract(*np.percentile(drawn, [75, 25], axis=0)) / 2 + 1e-9
        share = 1 / (1 + np.exp(-2 * angle))
        with np.errstate(invalid="ignore", over="ignore"):
            between = np.where(t > 0, high - (high - low) / (1 + np.exp(2 * angle)), low + (high - low) * share)
            inside = np.clip(between, np.nextafter(low, high), np.nextafter(high, low))
            ways = [
                (np.isfinite(low) & np.isfinite(high), inside, (high - low) * 2 * share * (1 - share) * slope),
                (np.isfinite(low), low + width * np.exp(angle), width * np.exp(angle) * slope),
                (np.isfinite(high), high - width * np.exp(-angle), width * np.exp(-angle) * slope),
            ]
        everywhere = center + width * np.sinh(angle), width * np.cosh(angle) * slope
        masks = [np.broadcast_to(mask, everywhere[0].shape) for mask, _, _ in ways]
        self.values = np.select(masks, [way[1] for way in ways], everywhere[0])
        weights = np.select(masks, [way[2] for way in ways], everywhere[1])
        self.logs = distribution.log_prob(torch.tensor(self.values)).detach().numpy()
        self.chances = np.exp(self.logs) * weights

    def mean(self, function):
        """The expectation of a function of the values."""
        with np.errstate(invalid="ignore"):
            return np.where(self.chances > 0, function * self.chances, 0).sum(0)

    def entropy(self):
        return -self.mean(self.logs)

    def cdf(self, index, values):
        """The distribution function of one batch entry, at some values."""
        place = (slice(None), *index)
        chances = self.chances[place]
        return np.interp(values, self.values[place], np.cumsum(chances) - chances / 2)


class Counts(Grid):
    """The same for whole numbers, whose integral is a sum."""

    def __init__(self, distribution, low, high):
        most = distribution.sample((999,)).numpy().max() * 3 + 60
        low, high = low.min(), high.max()
        numbers = np.arange(low, min(high, most) + 1).reshape(-1, *[1] * len(distribution.batch_shape))
        self.values = np.broadcast_to(numbers, (len(numbers), *distribution.batch_shape))
        weigh = type(distribution).log_prob
        try:
            before, distribution._validate_args = distribution._validate_args, False
            self.logs = weigh(distribution, torch.tensor(np.ascontiguousarray(self.values))).detach().numpy()
        finally:
            distribution._validate_args = before
        self.chances = np.exp(self.logs)
