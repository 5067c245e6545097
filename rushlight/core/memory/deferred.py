"""Deferred arrays: memory that stands for its conjugate or its negative, which is computed when somebody reads it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.memory.meta import Meta, kept

CONJUGATE, NEGATIVE = 1, 2

ndarray = np.ndarray


class Deferred(ndarray):
    """An array whose elements are the conjugates, the negatives, or both, of the numbers in its memory.

    Slices and other views of it are deferred too; computing with it gives plain arrays, and writing to it
    puts into memory what it stands for. Native code does not know the class and leaves the work to Python.
    """

    flips: int

    def __array_finalize__(self, source: Any) -> None:
        self.flips = getattr(source, "flips", 0)

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return found if isinstance(found, ndarray) else flipped(found, self.flips)

    def __setitem__(self, index: Any, value: Any) -> None:
        raw(self)[index] = flipped(np.asarray(resolved(value)), self.flips)

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **options: Any) -> Any:
        out = options.get("out", ())
        if not any(isinstance(each, Deferred) for each in out):
            return getattr(ufunc, method)(*map(resolved, inputs), **options)
        del options["out"]
        made = getattr(ufunc, method)(*map(resolved, inputs), **options)
        for target, result in zip(out, made if isinstance(made, tuple) else (made,), strict=True):
            target[...] = result
        return out if len(out) > 1 else out[0]

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return func(*resolved_all(args), **dict(zip(kwargs, resolved_all(kwargs.values()), strict=True)))

    def resolve(self) -> ndarray:
        """The elements, computed, in an array of their own."""
        return np.asarray(flipped(raw(self), self.flips))

    def astype(self, *args: Any, **kwargs: Any) -> ndarray:
        return resolved(self).astype(*args, **kwargs)

    def item(self, *args: Any) -> Any:
        return resolved(self).item(*args)

    def tolist(self) -> Any:
        return resolved(self).tolist()

    def fill(self, value: Any) -> None:
        raw(self).fill(flipped(np.asarray(value), self.flips))


def flipped(values: Any, flips: int) -> Any:
    """The conjugates, the negatives, or both."""
    if flips & CONJUGATE:
        values = np.conjugate(values)
    return np.negative(values) if flips & NEGATIVE else values


def flips_of(array: ndarray) -> int:
    """What is still to be done to an array's numbers when they are read: CONJUGATE | NEGATIVE, or 0."""
    return array.flips if isinstance(array, Deferred) else 0


def raw(array: ndarray) -> ndarray:
    """The numbers in memory, without what is still to be done to them."""
    return array.view(ndarray) if isinstance(array, Deferred) else array


def resolved(value: Any) -> Any:
    """A deferred array's elements, computed, in an array of their own; anything else as it is."""
    return value.resolve() if isinstance(value, Deferred) else value


def resolved_all(values: Any) -> list:
    """As `resolved`, also for arrays in tuples and lists."""
    return [type(each)(resolved_all(each)) if type(each) in (tuple, list) else resolved(each) for each in values]


def deferred(array: ndarray, flips: int) -> ndarray:
    """A view of a plain array that stands for its conjugate or negative."""
    if not flips:
        return array
    if type(array) is Meta:
        return array
    found = array.view(Deferred)
    found.flips = flips
    return found


def alike(array: ndarray, found: ndarray) -> ndarray:
    """A plain array, deferred or without memory as another one is."""
    return deferred(kept(array, found), flips_of(array))
