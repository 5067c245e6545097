"""Samples: the calls that stand beside each op and make its tests, its speed row and its example.

Arrays in a sample stand for tensors; tests turn them into float64 for gradients, transpose them, and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Sample:
    """One call: arguments with arrays where tensors go."""

    __slots__ = ("args", "kwargs", "smooth")

    def __init__(self, args: tuple, kwargs: dict, smooth: bool = True):
        self.args = args
        self.kwargs = kwargs
        self.smooth = smooth

    def __repr__(self) -> str:
        return f"Sample({self.args!r}, {self.kwargs!r})"


def case(*args: Any, **kwargs: Any) -> Sample:
    """A call with these arguments."""
    return Sample(args, kwargs)


def corner(*args: Any, **kwargs: Any) -> Sample:
    """A call at a tie, a jump or an infinity: its gradient is a convention, which differences cannot tell."""
    return Sample(args, kwargs, smooth=False)


class Maker:
    """Makes arrays of random numbers, the same ones each time."""

    def __init__(self, seed: int):
        # the generator is made when a test asks: numpy.random costs import time
        self.random = np.random.default_rng(seed)

    def floats(self, *shape: int, low: float = -2, high: float = 2, dtype: str = "float32") -> np.ndarray:
        return self.random.uniform(low, high, shape).astype(dtype)

    def ints(self, *shape: int, low: int = -5, high: int = 6, dtype: str = "int64") -> np.ndarray:
        return self.random.integers(low, high, shape).astype(dtype)

    def bools(self, *shape: int) -> np.ndarray:
        return np.asarray(self.random.random(shape) < 0.5)

    def complexes(self, *shape: int, dtype: str = "complex64") -> np.ndarray:
        return (self.random.normal(size=shape) + 1j * self.random.normal(size=shape)).astype(dtype)

    def distinct(self, *shape: int) -> np.ndarray:
        """Floats that are all different and well apart, for sorting and maxima."""
        count = int(np.prod(shape))
        return (self.random.permutation(count).reshape(shape) / 4 - count / 8).astype("float32")

    def spd(self, *shape: int) -> np.ndarray:
        """Symmetric positive definite matrices, well conditioned."""
        root = self.random.normal(size=shape)
        return (root @ root.swapaxes(-1, -2) + 2 * np.eye(shape[-1])).astype("float32")


class Samples:
    """The samples of an op, made when asked for."""

    def __init__(self, make: Callable[[Maker], list[Sample]], pointwise: bool = False):
        self.make = make
        self.pointwise = pointwise

    def __call__(self, seed: int = 0) -> list[Sample]:
        return self.make(Maker(seed))


def cases(make: Callable[[Maker], list[Sample]], pointwise: bool = False) -> Samples:
    """Samples written out: `cases(lambda make: [case(make.floats(2, 3), dim=1)])`."""
    return Samples(make, pointwise)


def corners(samples: Samples) -> Samples:
    """The same samples, all of them corners: for ops whose gradient is refused."""

    def make(maker: Maker) -> list[Sample]:
        return [corner(*each.args, **each.kwargs) for each in samples.make(maker)]

    return Samples(make, samples.pointwise)


def joined(*parts: Samples) -> Samples:
    """All the samples of several sets."""
    return Samples(lambda maker: [each for part in parts for each in part.make(maker)], parts[0].pointwise)


def unary(
    low: float = -2,
    high: float = 2,
    *,
    ints: bool = True,
    bools: bool = True,
    halves: bool = True,
    complexes: bool = False,
) -> Samples:
    """Samples for an op on each element, whose argument lies between `low` and `high`."""

    def make(maker: Maker) -> list[Sample]:
        found = [
            case(maker.floats(3, 4, low=low, high=high)),
            case(maker.floats(low=low, high=high)),
            case(maker.floats(0, 3, low=low, high=high)),
            case(maker.floats(4, 2, low=low, high=high).T),
            case(maker.floats(5, low=low, high=high, dtype="float64")),
        ]
        if halves:
            found.append(case(maker.floats(5, low=low, high=high, dtype="float16")))
        if ints:
            smallest = int(np.ceil(low))
            found.append(case(maker.ints(4, low=smallest, high=max(smallest + 1, int(high) + 1))))
        if bools:
            found.append(case(maker.bools(4)))
        if complexes:
            found.append(case(maker.complexes(2, 3)))
        return found

    return Samples(make, pointwise=True)


def activation(*options: dict, **option: Any) -> Samples:
    """Samples for an activation: the usual ones, then one for each choice of options."""

    def make(maker: Maker) -> list[Sample]:
        chosen = [*options, option] if option else options
        found = [case(maker.floats(3, 4, low=-4, high=4), **each) for each in chosen]
        return [*unary(-4, 4)(0), *found]

    return Samples(make, pointwise=True)


def binary(
    low: float = -2,
    high: float = 2,
    *,
    floats: bool = True,
    ints: bool = True,
    bools: bool = True,
    halves: bool = True,
    complexes: bool = False,
    numbers: bool = True,
    divisor: bool = False,
) -> Samples:
    """Samples for an op on two operands, broadcast against each other; a `divisor` is never zero."""

    def make(maker: Maker) -> list[Sample]:
        def real(*shape: int, dtype: str = "float32") -> np.ndarray:
            return maker.floats(*shape, low=low, high=high, dtype=dtype)

        whole = max(int(np.ceil(low)), 1 if divisor else int(np.ceil(low)))
        found = []
        if floats:
            found += [
                case(real(3, 4), real(3, 4)),
                case(real(3, 4), real(4)),
                case(real(2, 1, 3), real(4, 1)),
                case(real(), real(3)),
                case(real(), real()),
                case(real(0, 3), real(3)),
                case(real(4, 2).T, real(2, 4)),
                case(real(3), real(3, dtype="float64")),
                case(real(3), real(dtype="float64")),
            ]
        if floats and halves:
            found.append(case(real(3, dtype="float16"), real(3, dtype="float16")))
        if numbers and floats:
            found += [case(real(3), 1.5), case(real(3), 2)]
        if ints:
            one = maker.ints(4, low=whole, high=whole + 6)
            found += [case(one, maker.ints(4, low=whole, high=whole + 6)), case(one, one[0])]
            found.append(case(one.astype("int32"), maker.ints(4, low=whole, high=whole + 6, dtype="int16")))
            found += [case(one, 2)] if numbers else []
        if ints and floats:
            found += [case(real(4), maker.ints(4, low=whole, high=whole + 6))]
            found += [case(one, 1.5)] if numbers else []
        if bools:
            found.append(case(maker.bools(4), maker.bools(4)))
        if complexes:
            found += [case(maker.complexes(3), maker.complexes(3)), case(maker.complexes(3), real(3))]
        return found

    return Samples(make, pointwise=True)


def reduction(*, several: bool = True, empty: bool = True, ints: bool = True, low: float = -2) -> Samples:
    """Samples for an op over all, one or `several` dimensions."""

    def make(maker: Maker) -> list[Sample]:
        x = maker.floats(3, 4, 2, low=low)
        found = [
            case(x),
            case(x, 1),
            case(x, -1, True),
            case(x, dim=0, keepdim=True),
            case(maker.floats(low=low)),
            case(maker.floats(5, 2, low=low).T, 0),
            case(maker.floats(6, low=low, dtype="float64")),
        ]
        if several:
            found += [case(x, (0, 2)), case(x, dim=[0, -1], keepdim=True)]
        if empty:
            found.append(case(maker.floats(0, 3), 0))
        if ints:
            found += [case(maker.ints(3, 4)), case(maker.ints(3, 4), 1)]
        return found

    return Samples(make)
