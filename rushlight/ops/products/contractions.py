"""Contractions: sums of products over chosen dimensions of two tensors."""

from __future__ import annotations

import math
import operator
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.dims import axes, axis
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.samples import case, cases


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(2, 3), make.floats(2, 3)),
            case(make.floats(2, 3), make.floats(3, 4), 1),
            case(make.floats(2, 3), make.floats(4), 0),
            case(make.floats(2, 3, 4), make.floats(4, 5, 3), dims=([1, 2], [2, 0])),
            case(make.floats(2, 3, 4), make.floats(4, 5), dims=[[-1], [0]]),
            case(make.floats(2, 3), make.floats(2, 3), dims=np_array([[1], [1]])),
            case(make.floats(3, 2), make.floats(1, 4), dims=([0], [0])),
            case(make.ints(2, 3), make.ints(3, 2), 1),
            case(make.complexes(2, 3), make.complexes(3, 2), 1),
            case(make.floats(2, 0), make.floats(0, 3), 1),
            case(make.floats(2, 3), make.floats(2, 3, dtype="float64")),
            case(make.floats(2, 3), make.floats(2, 3), 1),
            case(make.floats(2, 3), make.floats(2, 3), 3),
            case(make.floats(2, 3), make.floats(2, 3), -1),
            case(make.floats(2, 3), make.floats(2, 3), ([0, 1], [0])),
            case(make.floats(2, 3), make.floats(2, 3), ([0, 0], [0, 0])),
        ]
    ),
)
def tensordot(a, b, dims: int | tuple = 2, out=None):
    """Sum of products over the last `dims` dimensions of `a` and the first of `b`, or over the listed pairs.

    >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(4, 3), dims=([1, 2], [1, 0]))
    tensor([12., 12.])
    """
    first, second = read_dims(a, b, dims)
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length: each pair is multiplied and summed")
    if a._array.dtype != b._array.dtype:
        words = f"both inputs should have same dtype, but got {a.dtype} and {b.dtype}"
        raise explained(RuntimeError, words, fix=one_dtype(a.dtype, b.dtype))
    given = list(zip(first, second, strict=True))
    first, second = ([axis(dim, tensor.ndim) for dim in dims] for dims, tensor in ((first, a), (second, b)))
    for (one_given, other_given), one, other in zip(given, first, second, strict=True):
        sizes = a.shape[one], b.shape[other]
        if sizes[0] == sizes[1]:
            continue
        if sizes[0] == 1:
            b = b.sum(other, keepdim=True)
        elif sizes[1] == 1:
            a = a.sum(one, keepdim=True)
        else:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {sizes[0]} in dim {one_given} and second "
                f"has size {sizes[1]} in dim {other_given}"
            )
    left, right = (as_tuple(each, tensor.ndim) for each, tensor in ((first, a), (second, b)))
    rows = [dim for dim in range(a.ndim) if dim not in left]
    columns = [dim for dim in range(b.ndim) if dim not in right]
    shape = [a.shape[dim] for dim in rows] + [b.shape[dim] for dim in columns]
    inner = math.prod([a.shape[dim] for dim in left])
    found = (
        a.permute(rows + list(left))
        .reshape(-1 if inner else math.prod(shape[: len(rows)]), inner)
        .mm(b.permute(list(right) + columns).reshape(inner, math.prod(shape[len(rows) :])))
    )
    return write_composed("tensordot", found.reshape(shape), out)


def np_array(values: list) -> Any:
    import numpy as np

    return np.array(values)


def as_tuple(dims: list[int], ndim: int) -> tuple[int, ...]:
    """Dimensions counted from the front, none of them twice."""
    found = axes(dims, ndim) if dims else ()
    return found if isinstance(found, tuple) else ()


def read_dims(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    """The dimensions to contract, of either tensor, from the ways to give them."""
    if isinstance(dims, Tensor) and dims.numel() > 1:
        dims = dims.tolist()
    if isinstance(dims, (list, tuple)):
        if len(dims) == 2 and all(isinstance(each, (list, tuple)) for each in dims):
            return [operator.index(each) for each in dims[0]], [operator.index(each) for each in dims[1]]
    elif isinstance(dims, (int, Tensor)):
        count = int(dims)
        if count < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={count}")
        if count > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={count}")
        return list(range(-count, 0)), list(range(count))
    raise RuntimeError(
        "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
        f"but got dims={dims}"
    )
