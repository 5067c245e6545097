"""Weights: which elements along a dimension make up each one of another size, in each mode of interpolation."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from rushlight.ops.images.taps import Taps


@lru_cache(maxsize=256)
def taps_for(mode: str, size: int, output: int, scale: float | None, align: bool, double: bool) -> Taps:
    """The taps that bring a dimension from one size to another, in the dtype that torch counts places in."""
    kind = np.float64 if double else np.float32
    if mode in ("nearest", "nearest-exact"):
        return nearest(size, output, scale, mode == "nearest-exact")
    if mode in FILTERS:
        return filtered(mode, size, output, ratio(size, output, scale, align, kind), kind)
    if mode == "linear":
        return linear(size, output, scale, align, kind)
    return cubic(size, output, scale, align, kind)


def ratio(size: int, output: int, scale: float | None, align: bool, kind: type) -> np.floating:
    """How far one step in the output goes in the input."""
    if align:
        return kind(size - 1) / kind(output - 1) if output > 1 else kind(0)
    return kind(1.0 / scale) if scale is not None and scale > 0 else kind(size) / kind(output)


def sources(size: int, output: int, scale: float | None, align: bool, kind: type) -> np.ndarray:
    """Where each output lies in the input."""
    steps = np.arange(output).astype(kind)
    step = ratio(size, output, scale, align, kind)
    return step * steps if align else step * (steps + kind(0.5)) - kind(0.5)


def whole(size: int, places: np.ndarray, weights: np.ndarray | None = None) -> Taps:
    """Taps of which all count."""
    return Taps(size, places.astype(np.int64), np.full(len(places), places.shape[1]), weights)


def nearest(size: int, output: int, scale: float | None, exact: bool) -> Taps:
    """One element each: the one at the left of the place, or with `exact` the nearest to its middle."""
    steps = np.arange(output)
    if size == output:
        places = steps
    elif output == 2 * size and not exact:
        places = steps // 2
    else:
        step = ratio(size, output, scale, False, np.float32)
        middle = np.float32(0.5) if exact else np.float32(0)
        places = np.floor((steps.astype(np.float32) + middle) * step).astype(np.int64)
    return whole(size, np.minimum(places, size - 1)[:, None])


def linear(size: int, output: int, scale: float | None, align: bool, kind: type) -> Taps:
    """The two elements around each place, weighted by how near they are."""
    if size == output:
        return whole(size, np.arange(size)[:, None])
    places = np.maximum(sources(size, output, scale, align, kind), 0)
    left = np.minimum(places.astype(np.int64), size - 1)
    right = np.minimum(left + 1, size - 1)
    share = np.clip(places - left.astype(kind), 0, 1)
    return whole(size, np.stack([left, right], 1), np.stack([1 - share, share], 1))


def cubic(size: int, output: int, scale: float | None, align: bool, kind: type) -> Taps:
    """The four elements around each place; those beyond the edge are the edge."""
    places = sources(size, output, scale, align, kind)
    left = np.floor(places)
    weights = cubic_weights(places - left, -0.75)
    spread = np.clip(left[:, None].astype(np.int64) + np.arange(-1, 3), 0, size - 1)
    return whole(size, spread, weights.astype(kind))


def cubic_weights(share: np.ndarray, sharpness: float, order: int = 0) -> np.ndarray:
    """The weights of the elements at -1, 0, 1 and 2 for a place between 0 and 1, or derivatives of them."""
    distance = share[..., None] - np.arange(-1, 3).astype(share.dtype)
    near = np.polynomial.Polynomial([1, 0, -(sharpness + 3), sharpness + 2])
    far = np.polynomial.Polynomial([-4 * sharpness, 8 * sharpness, -5 * sharpness, sharpness])
    if order:
        near, far = near.deriv(order), far.deriv(order)
    length = np.abs(distance)
    inner = np.array([False, True, True, False])
    found = np.where(inner, near(length), far(length))
    return found * np.sign(distance) ** order if order else found


def triangle(x: np.ndarray) -> np.ndarray:
    return np.maximum(1 - np.abs(x), 0)


def cubic_bump(x: np.ndarray) -> np.ndarray:
    x, sharpness = np.abs(x), -0.5
    near = ((sharpness + 2) * x - (sharpness + 3)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * sharpness
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def lanczos(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)


# the filters of antialiasing, and over how many elements each reaches without it
FILTERS = {"triangle": (triangle, 2), "bump": (cubic_bump, 4), "lanczos": (lanczos, 6)}


def filtered(mode: str, size: int, output: int, step: np.floating, kind: type) -> Taps:
    """All elements that a filter as wide as the step reaches, so that making smaller loses no element."""
    shape, reach = FILTERS[mode]
    wide = max(step, kind(1))
    support = kind(reach * 0.5) * wide
    centres = step * (np.arange(output).astype(kind) + kind(0.5))
    starts = np.maximum((centres - support + kind(0.5)).astype(np.int64), 0)
    counts = np.minimum((centres + support + kind(0.5)).astype(np.int64), size) - starts
    counts = np.clip(counts, 0, math.ceil(support) * 2 + 1)
    steps = np.arange(int(counts.max(initial=0)))
    used = steps < counts[:, None]
    weights = shape((steps + starts[:, None] - centres[:, None] + kind(0.5)) / wide) * used
    sums = weights.sum(1, keepdims=True)
    weights = np.divide(weights, sums, out=weights, where=sums != 0)
    return Taps(size, np.where(used, starts[:, None] + steps, 0), counts, weights.astype(kind))
