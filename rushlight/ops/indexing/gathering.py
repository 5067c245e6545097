"""Gathering: elements picked along a dimension by tensors of positions."""

from __future__ import annotations

import math
import operator

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import INDICES
from rushlight.errors.refusals import sizes_differ
from rushlight.ops.indexing.indexing import pick_into
from rushlight.ops.indexing.indices import INDEX_KINDS, INT64
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.rules import MATCH, SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.index_words import SELECTED, TAKEN
from rushlight.ops.machine.transforms.level import all_numbers
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.machine.writing import (
    check_position,
    check_range,
    fold_along,
    grid,
    scalar_name,
)


def check_along(name: str, input: np.ndarray, dim: int, index: np.ndarray) -> tuple[np.ndarray, int, np.ndarray]:
    """Input, dimension and index of a gather, checked; numbers count as vectors of one element."""
    if index.dtype not in INDEX_KINDS and index.size:
        words = f"{name}(): Expected dtype int32/int64 for index, not {scalar_name(index)}"
        raise explained(RuntimeError, words, fix=INDICES)
    dim = axis(dim, input.ndim)
    input = input if input.ndim else input.reshape(1)
    index = index if index.ndim else index.reshape(1)
    if index.size:
        if index.ndim != input.ndim:
            raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
        check_range(index, dim, input.shape[dim])
    return input, dim, index


@op(
    dtype=MATCH,
    batch=ALONG,
    linear=True,
    operands=["input"],
    saves=("input",),
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 1, make.ints(3, 1, low=0, high=4)),
            case(make.floats(3, 4), 0, make.ints(5, 2, low=0, high=3)),
            case(make.floats(3, 4), -1, make.ints(2, 6, low=0, high=4, dtype="int32")),
            case(make.floats(2, 3, 4), 1, make.ints(2, 5, 4, low=0, high=3)),
            case(make.floats(4, 3).T, 1, make.ints(3, 4, low=0, high=4)),
            case(make.ints(5), 0, make.ints(3, low=0, high=5), sparse_grad=True),
            case(make.floats(), 0, make.ints(low=0, high=1)),
            case(make.floats(3), 0, make.ints(low=0, high=3)),
            case(make.floats(3, 4), 0, make.ints(0, low=0, high=1)),
            case(make.floats(3, 4), 1, np.array([[4]])),
            case(make.floats(3, 4), 1, np.array([[-1]])),
            case(make.floats(3, 4), 1, np.array([1])),
            case(make.floats(3, 4), 1, make.floats(3, 4)),
            case(make.floats(3, 4), 1, make.ints(4, 1, low=0, high=4)),
            case(make.floats(3, 4), 2, make.ints(3, 1, low=0, high=4)),
        ]
    ),
)
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad=False, out=None):
    """The elements whose position along `dim` the index gives; elsewhere it is the index's own.

    >>> q = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> q.gather(1, torch.tensor([[0], [1]]))
    tensor([[1.],
            [4.]])

    The gradient is dense whatever `sparse_grad` says.
    """
    shape = index.shape
    input, dim, index = check_along("gather", input, dim, index)
    if not index.size:
        return np.empty(shape, input.dtype)
    for place, size in enumerate(index.shape):
        if place != dim and size > input.shape[place]:
            raise RuntimeError(
                f"Size does not match at dimension {place} expected index {list(shape)} to be no larger than "
                f"self {list(input.shape)} apart from dimension {dim}"
            )
    return input[grid(index, dim)].reshape(shape)


gather.gradient(input=lambda grad, input_shape, dim, index: gather_into(grad, dim, index, input_shape))


@op(dtype=SAME, batch=ALONG, linear=True, name="_gather_into", samples=None)
def gather_into(input, dim: int, index, shape: tuple):
    """Zeros with the input added where `gather` reads."""
    found = np.zeros(shape, input.dtype)
    if index.size:
        dim = axis(dim, len(shape))
        target, index = found.reshape(shape or (1,)), index.reshape(index.shape or (1,))
        fold_along(target, dim, index, input.reshape(index.shape))
    return found


gather_into.gradient(input=lambda grad, dim, index: gather(grad, dim, index))


@op(
    dtype=MATCH,
    batch=SELECTED,
    linear=True,
    operands=["input"],
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0, np.array([2, 0, 2])),
            case(make.floats(3, 4), -1, np.array([1, 3], "int32")),
            case(make.floats(2, 3, 4), 1, np.array([2])),
            case(make.floats(4, 3).T, 1, np.array([1, 1])),
            case(make.floats(3, 4), 0, np.array(1)),
            case(make.floats(), 0, np.array([0])),
            case(make.ints(5), 0, np.array([], "int64")),
            case(make.floats(0, 3), 1, np.array([1])),
            case(make.floats(3, 4), 0, np.array([3])),
            case(make.floats(3, 4), 0, np.array([-1])),
            case(make.floats(3, 4), 0, np.array([[1]])),
            case(make.floats(3, 4), 0, make.floats(2)),
            case(make.floats(), 0, np.array([0, 0])),
            case(make.floats(3, 4), 2, np.array([0])),
        ]
    ),
)
def index_select(input: Tensor, dim: int, index: Tensor, *, out=None):
    """The parts at the given positions along `dim`, one after another.

    >>> table = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> table.index_select(1, torch.tensor([2, 0]))
    tensor([[3, 1],
            [6, 4]])
    """
    check_vector("index_select", input, dim, index)
    dim = axis(dim, input.ndim)
    if not input.ndim:
        if index.size != 1:
            raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
        check_range(index, 0, 1, "index out of range in self")
        return input.copy()
    size = input.shape[dim]
    if not size and index.size and input.ndim > 1:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    check_selected(input, dim, index)
    index = index if index.ndim else index.reshape(1)
    if input.flags.c_contiguous:
        return input.take(index, dim)
    return np.ascontiguousarray(input[(slice(None),) * dim + (index,)])


def check_selected(input: np.ndarray, dim: int, index: np.ndarray) -> None:
    """Refuse positions outside of a dimension: torch's loop over rows does it in other words than that over others."""
    try:
        check_range(index, dim, input.shape[dim], "index out of range in self")
    except IndexError:
        if input.ndim == 1 or (not dim and input.size):
            raise
        size = input.shape[dim]
        wrong = index[(index < 0) | (index >= size)].flat[0]
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={wrong} axis_dim={size}") from None


def check_vector(name: str, input: np.ndarray, dim: int, index: np.ndarray) -> None:
    """Refuse an index that is no vector of integers."""
    if index.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector, not of shape {list(index.shape)}")
    if index.dtype not in INDEX_KINDS and index.size:
        raise RuntimeError(f"{name}(): Expected dtype int32 or int64 for index, not {scalar_name(index)}: use .long()")


index_select.gradient(
    input=lambda grad, input_shape, dim, index: select_into(grad, input_shape, dim, index),
)


def select_into(grad: Tensor, shape: tuple, dim: int, index: Tensor) -> Tensor:
    """The gradient of `index_select`: zeros with the parts added where they came from."""
    if not shape:
        return grad.new_zeros(()).index_add(0, index, grad)
    return pick_into(grad, [index.reshape(-1)], (axis(dim, len(shape)),), shape)


@op(
    dtype=MATCH,
    batch=TAKEN,
    linear=True,
    operands=["input"],
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), np.array([0, 11, -1, 0])),
            case(make.floats(4, 3).T, np.array([[1, 5]])),
            case(make.floats(3), np.array(2)),
            case(make.floats(), np.array([0, 0])),
            case(make.ints(3), np.array([], "int64")),
            case(make.floats(0), np.array([], "int64")),
            case(make.floats(3), np.array([3])),
            case(make.floats(0), np.array([0])),
            case(make.floats(3), np.array([0], "int32")),
        ]
    ),
)
def take(input: Tensor, index: Tensor, *, out=None):
    """The elements at positions counted through the whole tensor.

    >>> torch.tensor([[1, 2], [3, 4]]).take(torch.tensor([0, 3]))
    tensor([1, 4])
    """
    check_long("take", index)
    if index.size and not input.size:
        raise IndexError("take(): tried to take from an empty tensor")
    check_flat(index, input.size)
    if not index.size:
        # NumPy refuses to take even nothing from an empty array
        return np.empty(index.shape, input.dtype)
    if not input.flags.c_contiguous and index.size < input.size:
        # NumPy would copy all of it first
        return input[np.unravel_index(index % input.size, input.shape)]
    return input.take(index)


take.gradient(
    input=lambda grad, input_shape, index: pick_into(grad, [index], (0,), (math.prod(input_shape),)).reshape(
        input_shape
    )
)


def check_long(name: str, index: np.ndarray) -> None:
    if index.dtype != INT64:
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got {scalar_name(index)}: use .long()")


def check_flat(index: np.ndarray, size: int) -> None:
    """Refuse positions outside of a tensor of `size` elements."""
    try:
        check_position(index, 0, size)
    except IndexError:
        wrong = index[(index < -size) | (index >= size)].flat[0]
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {size} elements.") from None


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.ints(3, 2, low=0, high=4), 1),
            case(make.floats(3, 4), make.ints(1, 4, low=0, high=3), dim=0),
            case(make.floats(3, 4), make.ints(3, 1, low=-4, high=4), -1),
            case(make.floats(3, 4), make.ints(5, low=0, high=12)),
            case(make.floats(1, 4), make.ints(3, 2, low=0, high=4), 1),
            case(make.floats(3, 4), make.ints(3, 2, low=0, high=4, dtype="int32"), 1),
            case(make.floats(3, 4), make.ints(3, low=0, high=4), 1),
            case(make.floats(3, 4), make.ints(2, 2, low=0, high=4), 1),
        ]
    )
)
def take_along_dim(input, indices, dim=None, *, out=None):
    """The elements at the given positions along `dim`, broadcast; fits what `argmax` and `argsort` return.

    >>> x = torch.tensor([[3, 1, 2], [9, 7, 8]])
    >>> x.take_along_dim(x.argsort(dim=1), dim=1)
    tensor([[1, 2, 3],
            [7, 8, 9]])
    """
    if indices._array.dtype != INT64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {scalar_name(indices._array)}"
        )
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1), out=out)
    if input._array.ndim != indices._array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    dim = axis(operator.index(dim), input._array.ndim)
    size = input._array.shape[dim]
    check_position(all_numbers(indices), dim, size)
    apart = list(input._array.shape), list(indices._array.shape)
    shape = broadcast_but(*apart, dim)
    input = input.expand([*shape[:dim], size, *shape[dim + 1 :]])
    indices = indices.expand([*shape[:dim], indices._array.shape[dim], *shape[dim + 1 :]])
    return gather(input, dim, indices.remainder(size) if size else indices, out=out)


def broadcast_but(one: list[int], two: list[int], dim: int) -> list[int]:
    """The shape two tensors are broadcast to if their sizes along `dim` are left out of it."""
    one[dim] = two[dim] = 1
    for place, (a, b) in enumerate(zip(one, two, strict=True)):
        if a != b and 1 not in (a, b):
            raise sizes_differ(a, b, place, fix=f"sizes go together, but for dimension {dim}, if equal or if one is 1")
    return [max(a, b) if 0 not in (a, b) else 0 for a, b in zip(one, two, strict=True)]
