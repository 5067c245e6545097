"""Taps: along a dimension, each output as the sum of a few inputs, with weights or without.

Averages over windows and interpolation are of this form, and so are their gradients, with the taps turned around.
"""

from __future__ import annotations

import numpy as np

from rushlight.ops.machine.declare import op
from rushlight.ops.machine.formats import laid_out
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.transforms.words import PLAIN


class Taps:
    """For each output: the places of its inputs (outputs, most), how many count, and their weights or None.

    A row of `places` and `weights` beyond its count is filled up with zeros.
    """

    __slots__ = ("counts", "other", "places", "size", "weights")

    def __init__(self, size: int, places: np.ndarray, counts: np.ndarray, weights: np.ndarray | None = None):
        self.size = size  # of the input
        self.places = places
        self.counts = counts
        self.weights = weights
        self.other: Taps | None = None

    @property
    def adjoint(self) -> Taps:
        """The taps of the gradient: for each input, the outputs that it went to."""
        if self.other is None:
            self.other = self.turned()
            self.other.other = self
        return self.other

    def turned(self) -> Taps:
        outputs, most = self.places.shape
        used = np.arange(most) < self.counts[:, None]
        sources = self.places[used]
        order = np.argsort(sources, kind="stable")
        counts = np.bincount(sources, minlength=self.size)
        row = sources[order]
        column = np.arange(len(order)) - (np.cumsum(counts) - counts)[row]
        widest = int(counts.max(initial=0))
        places = np.zeros((self.size, widest), np.int64)
        places[row, column] = np.nonzero(used)[0][order]
        weights = None
        if self.weights is not None:
            weights = np.zeros((self.size, widest), self.weights.dtype)
            weights[row, column] = self.weights[used][order]
        return Taps(outputs, places, counts, weights)


def from_windows(size: int, starts: np.ndarray, ends: np.ndarray) -> Taps:
    """Taps without weights on the inputs from each start up to each end."""
    counts = np.maximum(ends - starts, 0)
    steps = np.arange(int(counts.max(initial=0)))
    places = np.where(steps < counts[:, None], starts[:, None] + steps, 0)
    return Taps(size, places, counts)


def along(array: np.ndarray, dim: int, taps: Taps) -> np.ndarray:
    """The sums along one dimension, counted from the front."""
    outputs, most = taps.places.shape
    found = np.zeros((*array.shape[:dim], outputs, *array.shape[dim + 1 :]), array.dtype)
    before = (slice(None),) * dim
    tail = (1,) * (array.ndim - dim - 1)
    for tap in range(most):
        rows = slice(None)
        if (taps.counts <= tap).any():
            # a missing input is not one of weight zero: that would make NaN of infinity
            rows = np.flatnonzero(taps.counts > tap)
        values = array.take(taps.places[rows, tap], dim)
        if taps.weights is not None:
            values *= taps.weights[rows, tap].astype(array.dtype).reshape(-1, *tail)
        found[(*before, rows)] += values
    return found


def summed(array: np.ndarray, taps: tuple) -> np.ndarray:
    """The sums along the last dimensions, the last one first."""
    first = array.ndim - len(taps)
    for place in reversed(range(len(taps))):
        if taps[place] is not None:
            array = along(array, first + place, taps[place])
    return array


@op(dtype=MATCH, batch=PLAIN, linear=True, name="_tap", node=lambda node: node, samples=None)
def tap(input, taps: tuple, node: str):
    """The input summed through taps along its last dimensions; None leaves one as it is."""
    return laid_out(summed(input, taps), input)


tap.gradient(input=lambda grad, taps, node: tap(grad, turned(taps), node))


def turned(taps: tuple) -> tuple:
    return tuple([None if each is None else each.adjoint for each in taps])
