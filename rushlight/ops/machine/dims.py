"""Dims: dimension arguments checked and counted from the front, sizes made plain."""

from __future__ import annotations

import operator
from typing import Any

from rushlight.core.object.tensor import check_dim


def axis(dim: Any, ndim: int) -> int:
    """One dimension, counted from the front."""
    if type(dim) is int and -ndim <= dim < ndim:
        return dim + ndim if dim < 0 else dim
    if isinstance(dim, bool):
        raise TypeError(f"argument 'dim' must be int, not bool: {dim}")
    return check_dim(operator.index(dim), ndim)


def axes(dim: Any, ndim: int) -> tuple[int, ...] | int | None:
    """The dimensions of a reduction as NumPy takes them; an empty list means all of them."""
    if dim is None:
        return None
    if not isinstance(dim, (tuple, list)):
        # torch allows dim 0 and -1 for a number; NumPy wants the empty tuple there
        return axis(dim, ndim) if ndim else ((), axis(dim, 0))[0]
    if not dim:
        return None
    found = tuple([axis(each, ndim) for each in dim])
    if len(set(found)) != len(found):
        twice = next(each for each in found if found.count(each) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return found if ndim else ()


def plain_size(size: Any) -> tuple[int, ...]:
    """A size given as a number, a sequence or 0-dim tensors, as a tuple of Python integers."""
    if isinstance(size, (tuple, list)):
        for each in size:
            if type(each) is not int:
                return tuple([operator.index(each) for each in size])
        return tuple(size)
    return (operator.index(size),)
