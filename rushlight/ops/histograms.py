"""Histograms: how many elements have a value, or fall into a range of values."""

from __future__ import annotations

import numpy as np

from rushlight.ops.declare import op
from rushlight.ops.rules import SAME
from rushlight.ops.samples import case, cases
from rushlight.ops.sorting import refuse


@op(
    dtype=SAME,
    samples=cases(
        lambda make: [
            case(make.floats(20), 4, -1, 1),
            case(make.floats(4, 5), bins=3),
            case(np.array([1, 1, 1], "float32"), 2),
            case(np.array([1, np.nan, 0.5], "float32"), 4, 0, 3),
            case(np.array([1.0, 2, 5]), 2, 0, 3),
            case(make.floats(0), 3),
            case(make.floats(3), 0),
            case(make.floats(3), 2, 3, 1),
            case(np.array([1, np.inf], "float32")),
            case(make.ints(3), 2),
        ]
    ),
)
def histc(input, bins=100, min=0, max=0, *, out=None):
    """Counts of the elements in equal ranges from `min` to `max`, or from the smallest to the largest."""
    refuse(input, "biuc", "histogram_cpu")
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    if min == max and input.size:
        min, max = input.min(), input.max()
    if not (np.isfinite(min) and np.isfinite(max)):
        raise RuntimeError(f"torch.histc: range of [{min}, {max}] is not finite")
    if min == max:
        min, max = min - 1, max + 1
    inside = input[(input >= min) & (input <= max)]
    places = ((inside - min) * bins / (max - min)).astype(np.int64)
    return np.bincount(np.minimum(places, bins - 1), minlength=bins).astype(input.dtype)


@op(
    dtype=SAME,
    samples=cases(
        lambda make: [
            case(make.ints(9, low=0, high=5)),
            case(make.ints(9, low=0, high=5), make.floats(9)),
            case(make.ints(9, low=0, high=5), make.ints(9)),
            case(make.ints(9, low=0, high=5, dtype="uint8"), None, 8),
            case(make.ints(0), minlength=3),
            case(make.ints(2, low=0), make.floats(2, dtype="float64")),
            case(np.array([-1])),
            case(make.ints(2, 2)),
            case(make.floats(2)),
            case(make.bools(2)),
            case(make.ints(2, low=0), make.floats(3)),
            case(make.ints(2, low=0), minlength=-1),
        ]
    ),
)
def bincount(input, weights: "Tensor" = None, minlength=0):
    """How often each of 0, 1, 2, ... occurs, or the sum of the weights of its occurrences."""
    refuse(input, "bfcV", "bincount_cpu")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input.ndim != 1 or (input.size and input.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return np.bincount(input, minlength=minlength)
    if weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    kind = np.float32 if weights.dtype == np.float32 else np.float64
    return np.bincount(input, weights.astype(np.float64), minlength).astype(kind)
