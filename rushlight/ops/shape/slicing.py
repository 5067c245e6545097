"""Slicing: views of one or several parts of a tensor along a dimension."""

from __future__ import annotations

import operator

import numpy as np

from rushlight.core.memory.capacity import MOST
from rushlight.core.memory.layout import copied_like
from rushlight.core.memory.strides import byte_strides, empty_view, settled, with_strides
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.inplace import put
from rushlight.ops.machine.layouts import LIKE
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import SHAPED

ALL = slice(None)
# windows of fewer elements are added element by element, of all windows at once
FEW = 8


@op(
    dtype=SAME,
    batch=SHAPED,
    view=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0, 1),
            case(make.floats(3, 4), -1, -2),
            case(make.floats(4, 3).T, 1, 0),
            case(make.floats(3), 0, 2),
            case(make.floats(3, 0), 0, 1),
            case(make.ints(3, 4), 1, 3),
            case(make.floats(3, 4), 0, 3),
            case(make.floats(3, 4), 2, 0),
            case(make.floats(), 0, 0),
        ]
    ),
)
def select(input, dim: int, index: int):
    """The part at one index of a dimension, which goes away.

    >>> torch.tensor([[1, 2], [3, 4]]).select(1, 0)
    tensor([1, 3])
    """
    if not input.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, index = axis(dim, input.ndim), operator.index(index)
    if not -input.shape[dim] <= index < input.shape[dim]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    # the ellipsis keeps NumPy from making a scalar
    return settled(input)[(ALL,) * dim + (index, ...)]


select.gradient(input=lambda grad, input_shape, dim, index: select_backward(grad, input_shape, dim, index))


@op(dtype=SAME, batch=SHAPED, linear=True, name="_select_backward", samples=None)
def select_backward(input, shape: tuple, dim: int, index: int):
    """Zeros with the input at one index of a dimension."""
    found = np.zeros(shape, input.dtype)
    found[(ALL,) * axis(dim, len(shape)) + (operator.index(index),)] = input
    return found


select_backward.gradient(input=lambda grad, dim, index: grad.select(dim, index))


@op(dtype=SAME, batch=SHAPED, view=True, name="_slice", node="SliceBackward0", samples=None)
def slice_dim(input, dim: int, start: int, end: int, step=1):
    """The part from `start` to `end` of a dimension; both are counted from the front and inside it."""
    if start < end:
        return settled(input)[(ALL,) * dim + (slice(start, end, step),)]
    shape, strides = list(input.shape), list(byte_strides(input))
    shape[dim], strides[dim] = 0, strides[dim] * step
    return empty_view(input, tuple(shape), tuple(strides), start * byte_strides(input)[dim])


slice_dim.gradient(
    input=lambda grad, input_shape, dim, start, end, step: slice_backward(grad, input_shape, dim, start, end, step)
)


@op(dtype=SAME, batch=SHAPED, linear=True, name="_slice_backward", samples=None)
def slice_backward(input, shape: tuple, dim: int, start: int, end: int, step: int):
    """Zeros with the input in a part of a dimension."""
    found = np.zeros(shape, input.dtype)
    found[(ALL,) * dim + (slice(start, end, step),)] = input
    return found


slice_backward.gradient(input=lambda grad, dim, start, end, step: slice_dim(grad, dim, start, end, step))


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0, 1, 2),
            case(make.floats(3, 4), -1, -3, 2),
            case(make.floats(3, 4), 1, 4, 0),
            case(make.floats(4, 3).T, 1, 1, 2),
            case(make.floats(3, 4), 1, np.array(1), 2),
            case(make.floats(3, 4), 1, 2, 3),
            case(make.floats(3, 4), 1, 5, 0),
            case(make.floats(3, 4), 1, 0, -1),
            case(make.floats(), 0, 0, 1),
        ]
    )
)
def narrow(input, dim, start, length):
    """The part of a dimension that begins at `start` and is `length` long.

    >>> torch.arange(6).narrow(0, 2, 3)
    tensor([2, 3, 4])
    """
    array = input._array
    if not array.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start._array.ndim or start._array.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    start, length = operator.index(start), operator.index(length)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = axis(dim, array.ndim)
    size = array.shape[dim]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start = start + size if start < 0 else start
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return slice_dim(input, dim, start, start + length)


@op(
    dtype=SAME,
    batch=SHAPED,
    view=True,
    samples=cases(
        lambda make: [
            case(make.floats(5, 3), 0, 2, 2),
            case(make.floats(5, 3), -1, 2, 1),
            case(make.floats(3, 5).T, 0, 3, 1),
            case(make.floats(2, 30), 1, 10, 4),
            case(make.floats(), 0, 1, 1),
            case(make.floats(3), 0, 0, 1),
            case(make.ints(6), 0, 3, 3),
            case(make.floats(3), 0, 4, 1),
            case(make.floats(3), 0, 2, 0),
            case(make.floats(3), 0, -1, 1),
        ]
    ),
)
def unfold(input, dimension: int, size: int, step: int):
    """Windows of a size, `step` apart, along a dimension; a window's elements make a new last dimension.

    >>> torch.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    dim, size, step = axis(dimension, input.ndim), operator.index(size), operator.index(step)
    shape, strides = input.shape or (1,), byte_strides(input) or (input.itemsize,)
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > shape[dim]:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {shape[dim]} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not input.ndim:
        return with_strides(input, (size,), strides)
    count = (shape[dim] - size) // step + 1
    new_shape = (*shape[:dim], count, *shape[dim + 1 :], size)
    apart = strides[dim] * step
    if apart > MOST:
        apart = strides[dim]  # there is but one window
    return with_strides(input, new_shape, (*strides[:dim], apart, *strides[dim + 1 :], strides[dim]))


unfold.gradient(
    input=lambda grad, input_shape, dimension, size, step: unfold_backward(grad, input_shape, dimension, size, step)
)


@op(dtype=SAME, batch=SHAPED, linear=True, name="_unfold_backward", samples=None)
def unfold_backward(input, shape: tuple, dimension: int, size: int, step: int):
    """The elements of windows added up where they came from."""
    found = np.zeros(shape or (1,), input.dtype)
    windows = unfold.op.body(found, dimension, size, step)
    input = input.reshape(windows.shape)
    if size < FEW:
        for place in range(size):
            windows[..., place] += input[..., place]
        return found.reshape(shape)
    # windows that are this far apart share no element: eight times faster for 100 windows of 400, 160 apart
    apart = -(-size // step)
    for first in range(apart):
        part = (ALL,) * axis(dimension, len(shape)) + (slice(first, None, apart),)
        windows[part] += input[part]
    return found.reshape(shape)


unfold_backward.gradient(input=lambda grad, dimension, size, step: grad.unfold(dimension, size, step))


@op(
    dtype=SAME,
    batch=SHAPED,
    linear=True,
    layout=LIKE,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.floats(4), 0, 1),
            case(make.floats(4, 3).T, make.floats(3), 1, -1),
            case(make.floats(3, 4), make.floats(3), 0, 1),
            case(make.floats(3, 4), make.floats(4), 0, 5),
        ]
    ),
)
def select_scatter(input, src, dim: int, index: int):
    """A copy of the input with `src` at one index of a dimension.

    >>> torch.zeros(2, 3).select_scatter(torch.ones(2), 1, 2)
    tensor([[0., 0., 1.],
            [0., 0., 1.]])
    """
    found = copied_like(input)
    part = select.op.body(found, dim, index)
    check_part(part, src)
    put(part, src)
    return found


select_scatter.gradient(
    input=lambda grad, src_shape, dim, index: select_scatter(grad, grad.new_zeros(src_shape), dim, index),
    src=lambda grad, dim, index: grad.select(dim, index),
)


@op(
    dtype=SAME,
    batch=SHAPED,
    linear=True,
    layout=LIKE,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.floats(2, 4), 0, 1),
            case(make.floats(3, 4), make.floats(3, 2), dim=1, start=-3, end=-1),
            case(make.floats(3, 4), make.floats(3, 2), 1, 0, 4, 2),
            case(make.floats(3, 4), make.floats(3, 4)),
            case(make.floats(3, 4), make.floats(2, 2)),
        ]
    ),
)
def slice_scatter(input, src, dim=0, start=None, end=None, step=1, *, out=None):
    """A copy of the input with `src` over a part of a dimension.

    >>> torch.zeros(5).slice_scatter(torch.ones(2), start=1, end=5, step=2)
    tensor([0., 1., 0., 1., 0.])
    """
    found = copied_like(input)
    part = found[(ALL,) * axis(dim, input.ndim) + (slice(start, end, step),)]
    check_part(part, src)
    put(part, src)
    return found


slice_scatter.gradient(
    input=lambda grad, src_shape, dim, start, end, step: slice_scatter(
        grad, grad.new_zeros(src_shape), dim, start, end, step
    ),
    src=lambda grad, dim, start, end, step: take_slice(grad, dim, start, end, step),
)


def take_slice(input: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    """A slice given in Python's terms."""
    dim = axis(dim, input._array.ndim)
    return slice_dim(input, dim, *slice(start, end, step).indices(input._array.shape[dim]))


def check_part(part: np.ndarray, src: np.ndarray) -> None:
    if part.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice "
            f"size = {list(part.shape)}"
        )
