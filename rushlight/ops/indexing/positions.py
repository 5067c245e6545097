"""Positions: where elements stand, as rows of a fixed number or as coordinates."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.rules import INDEX
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.shape.joining import stack


@op(
    dtype=INDEX,
    samples=cases(
        lambda make: [
            case(make.ints(3, 4, low=0, high=2), size=3),
            case(make.bools(3, 4), size=20, fill_value=9),
            case(make.floats(4, 3).T, size=5),
            case(make.floats(0, 3), size=2),
            case(np.array(3.0), size=2),
            case(make.floats(3), size=0),
            case(make.floats(3), size=-1),
        ]
    ),
)
def nonzero_static(input, *, size: int, fill_value=-1, out=None):
    """The positions of the first `size` elements that are not zero, filled up with rows of `fill_value`.

    >>> torch.tensor([4, 0, 6]).nonzero_static(size=3)
    tensor([[ 0],
            [ 2],
            [-1]])
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = np.full((size, input.ndim), fill_value, np.int64)
    if input.ndim and size:
        places = np.array(input.nonzero()).T[:size]
        found[: len(places)] = places
    return found


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.ints(3, low=0, high=12), (3, 4)),
            case(make.ints(2, 2, low=0, high=6), [1, 2, 3]),
            case(np.array(3), 6),
            case(np.array([-1, -7]), (2, 3)),
            case(make.ints(3, low=0, high=6, dtype="int32"), (2, 3)),
            case(np.array(3), ()),
            case(make.floats(2), (2, 3)),
            case(make.ints(2), (-2, 3)),
            case(make.ints(2), (2.0, 3)),
        ]
    ),
)
def unravel_index(indices, shape):
    """The coordinates, one tensor for each dimension of `shape`, of positions in a flattened tensor.

    >>> torch.unravel_index(torch.tensor([5, 2]), (2, 3))
    (tensor([1, 0]), tensor([2, 2]))
    """
    if indices.dtype.category != dtypes.INTEGER:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}: convert it with .long()")
    sizes = read_shape(shape)
    found = []
    for size in reversed(sizes):
        found.append(indices % size)
        indices = indices.div(size, rounding_mode="floor")
    return stack([each.long() for each in reversed(found)], -1).unbind(-1) if found else ()


def read_shape(shape: Any) -> list[int]:
    given = [shape] if isinstance(shape, int) else shape
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    for each in given:
        if not isinstance(each, (int, np.integer)) and not (isinstance(each, Tensor) and not each.ndim):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(each)}")
    sizes = [operator.index(each) for each in given]
    if any(each < 0 for each in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    return sizes
