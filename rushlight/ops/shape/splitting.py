"""Splitting: views of all the parts of a tensor along a dimension; one op with several results each."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from rushlight.core.memory.strides import settled
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import SHAPED
from rushlight.ops.shape.joining import cat, stack
from rushlight.ops.shape.slicing import slice_dim

MOST_SECTIONS = 10**7

ALL = slice(None)


@op(dtype=SAME, batch=SHAPED, view=True, name="_split", node="SplitBackward0", samples=None)
def split_evenly(input, split_size: int, dim: int):
    return parts(input, dim, even_lengths(input.shape[dim], split_size))


@op(dtype=SAME, batch=SHAPED, view=True, name="_split_unevenly", node="SplitWithSizesBackward0", samples=None)
def split_unevenly(input, lengths: list, dim: int):
    return parts(input, dim, lengths)


def parts(array: np.ndarray, dim: int, lengths: list[int]) -> tuple[np.ndarray, ...]:
    """Views of the array's parts along a dimension, one after another."""
    array, body, before = settled(array), slice_dim.op.body, (ALL,) * dim
    found, start = [], 0
    for length in lengths:
        end = start + length
        found.append(array[(*before, slice(start, end))] if length else body(array, dim, start, start))
        start = end
    return tuple(found)


def joined(grads: list, dim: int, shape: tuple, lengths: list[int]) -> Tensor:
    """The gradient of a whole from those of its parts; None where a part was not used."""
    some = next(grad for grad in grads if grad is not None)
    before, after = shape[:dim], shape[dim + 1 :]
    return cat(
        [
            some.new_zeros((*before, length, *after)) if grad is None else grad
            for grad, length in zip(grads, lengths, strict=True)
        ],
        dim,
    )


split_evenly.gradient(
    input=lambda grads, input_shape, split_size, dim: joined(
        grads, dim, input_shape, even_lengths(input_shape[dim], split_size)
    )
)
split_unevenly.gradient(input=lambda grads, input_shape, lengths, dim: joined(grads, dim, input_shape, lengths))


def even_split(tensor: Tensor, length: int, dim: int) -> tuple[int, int]:
    """The dimension and the length of its parts, where a tensor can be split so."""
    shape = tensor._array.shape
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    length = operator.index(length)
    if length < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={length}")
    dim = axis(dim, len(shape))
    if length == 0 and shape[dim]:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {shape[dim]}")
    return dim, length or 1


def uneven_split(tensor: Tensor, lengths: list[int], dim: int) -> tuple[int, list[int]]:
    """The dimension and the lengths of its parts, where a tensor can be split so."""
    lengths = [operator.index(each) for each in lengths]
    shape = tensor._array.shape
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = axis(dim, len(shape))
    if any(length < 0 for length in lengths):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={lengths}"
        )
    if builtins.sum(lengths) != shape[dim]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {shape[dim]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={lengths}"
        )
    return dim, lengths


def chunk_split(tensor: Tensor, chunks: int, dim: int) -> tuple[int, int]:
    """The dimension and the length of all its parts but the last, where a tensor can be cut so; 0 where it is empty."""
    shape = tensor._array.shape
    if not shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if operator.index(chunks) <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = axis(dim, len(shape))
    return dim, -(-shape[dim] // chunks)


def even_lengths(size: int, length: int) -> list[int]:
    return [min(length, size - start) for start in range(0, size, length)] if size else [0]


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(5, 2), 2),
            case(make.floats(2, 5), 3, 1),
            case(make.floats(5, 2), [1, 0, 4]),
            case(make.floats(0, 2), 3),
            case(make.floats(5, 2), 10, -2),
            case(make.floats(5, 2), [1, 2]),
            case(make.floats(5, 2), -1),
            case(make.floats(5, 2), 0),
            case(make.floats(), 1),
        ]
    )
)
def split(tensor, split_size_or_sections=None, dim=0, *, split_size=None):
    """Views of the parts of a tensor: of one size (the last may be smaller), or of the sizes in a list.

    >>> torch.arange(5).split(2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> torch.arange(5).split([1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    sections = split_size_or_sections if split_size is None else split_size
    if isinstance(sections, (tuple, list)):
        return split_with_sizes(tensor, sections, dim)
    dim, length = even_split(tensor, sections, dim)
    return split_evenly(tensor, length, dim)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(5, 2), [2, 3]),
            case(make.floats(2, 3), [3, 0], -1),
            case(make.floats(5, 2), [2, 2]),
            case(make.floats(5, 2), [6, -1]),
        ]
    )
)
def split_with_sizes(input, split_sizes, dim=0):
    """Views of the parts of a tensor, of the given sizes.

    >>> head, tail = torch.arange(4).split_with_sizes([1, 3])
    >>> tail
    tensor([1, 2, 3])
    """
    dim, lengths = uneven_split(input, split_sizes, dim)
    return split_unevenly(input, lengths, dim)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(5, 2), 2),
            case(make.floats(2, 6), 4, dim=1),
            case(make.floats(0, 2), 3),
            case(make.floats(3), 5),
            case(make.floats(5, 2), 0),
            case(make.floats(), 1),
        ]
    )
)
def chunk(input, chunks, dim=0):
    """Views of about `chunks` parts of one size; the last may be smaller.

    >>> torch.arange(5).chunk(2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    dim, length = chunk_split(input, chunks, dim)
    if not length:
        return split_with_sizes(input, [0] * chunks, dim)
    return split_evenly(input, length, dim)


@op(
    dtype=SAME,
    batch=SHAPED,
    view=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(3, 4), -1),
            case(make.floats(3)),
            case(make.floats(2, 0)),
            case(make.floats(4, 3).T, 1),
            case(make.floats()),
        ]
    ),
)
def unbind(input, dim=0):
    """Views of the parts at every index of a dimension.

    >>> x, y = torch.tensor([[1, 2], [3, 4], [5, 6]]).unbind(dim=1)
    >>> y
    tensor([2, 4, 6])
    """
    dim = axis(dim, input.ndim)
    if not input.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    input = settled(input)
    before = (ALL,) * dim
    return tuple([input[(*before, index, ...)] for index in range(input.shape[len(before)])])


unbind.gradient(input=lambda grads, dim: stacked(grads, dim))


def stacked(grads: list, dim: int) -> Tensor:
    """The gradient of a whole from those of its parts at each index; None where a part was not used."""
    some = next(grad for grad in grads if grad is not None)
    zero = None
    if any(grad is None for grad in grads):
        zero = some.new_zeros(some.shape)
    return stack([zero if grad is None else grad for grad in grads], dim)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(5, 2), 2),
            case(make.floats(2, 5), (1, 3), dim=1),
            case(make.floats(5), (3, 1, -1, 9)),
            case(make.floats(0, 2), 3),
            case(make.floats(5), 0),
            case(make.floats(), 1),
        ]
    )
)
def tensor_split(input, indices_or_sections=None, dim=0, *, indices=None, sections=None):
    """Views of the parts of a tensor: of about the same size, or cut at the given indices.

    >>> torch.arange(5).tensor_split(3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> torch.arange(5).tensor_split((1, 3))
    (tensor([0]), tensor([1, 2]), tensor([3, 4]))
    """
    return cut_apart(input, given(indices_or_sections, indices, sections), dim)


def cut_apart(input: Tensor, where: Any, dim: int) -> tuple[Tensor, ...]:
    """The parts of `tensor_split`: so many of them, or cut at these indices."""
    array = input._array
    if not array.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = axis(dim, array.ndim)
    size = array.shape[dim]
    if isinstance(where, Tensor):
        where = plain_indices(where)
    if not isinstance(where, (tuple, list)):
        where = even_cuts(operator.index(where), size)
    start, parts = 0, []
    for each in map(operator.index, where):
        end = each if 0 <= each <= size else size if each > size else max(each + size, 0)
        parts.append(slice_dim(input, dim, start, end if end > start else start))
        start = end
    parts.append(slice_dim(input, dim, start, size))
    return tuple(parts)


def plain_indices(where: Tensor) -> Any:
    """Where to cut, given as a tensor."""
    array = where._array
    if array.dtype != np.int64:
        raise RuntimeError(
            f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {where.dtype.scalar}"
        )
    if array.ndim > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
            f"tensor, but got a tensor with {array.ndim} dims"
        )
    return array.tolist()


def even_cuts(sections: int, size: int) -> list[int]:
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    if sections > MOST_SECTIONS:
        raise RuntimeError(f"can't allocate memory: {sections} sections are more tensors than would fit")
    least, longer = divmod(size, sections)
    return [place * least + builtins.min(place, longer) for place in range(1, sections)]


def split_along(name: str, input: Tensor, where: Any, least: int, dim: int) -> tuple[Tensor, ...]:
    """The parts of `hsplit` and kin, which want whole sections."""
    shape = input._array.shape
    if len(shape) < least:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
            f"{len(shape)} dimensions!"
        )
    if not isinstance(where, (tuple, list)) and (where == 0 or shape[dim] % where):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{shape[dim]} is not divisible by the split_size {where}!"
        )
    return cut_apart(input, where, dim)


@composed(
    samples=cases(lambda make: [case(make.floats(2, 6), 3), case(make.floats(5), (1, 2)), case(make.floats(5), 2)])
)
def hsplit(input, indices_or_sections=None, *, indices=None, sections=None):
    """Views of the parts along the columns.

    >>> left, right = torch.arange(8).reshape(2, 4).hsplit(2)
    >>> right
    tensor([[2, 3],
            [6, 7]])
    """
    return split_along("hsplit", input, given(indices_or_sections, indices, sections), 1, int(input._array.ndim > 1))


@composed(
    samples=cases(lambda make: [case(make.floats(6, 2), 3), case(make.floats(5, 2), (1, 2)), case(make.floats(5), 1)])
)
def vsplit(input, indices_or_sections=None, *, indices=None, sections=None):
    """Views of the parts along the rows.

    >>> torch.arange(6).reshape(3, 2).vsplit([1])
    (tensor([[0, 1]]), tensor([[2, 3],
            [4, 5]]))
    """
    return split_along("vsplit", input, given(indices_or_sections, indices, sections), 2, 0)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(1, 2, 6), 3),
            case(make.floats(1, 2, 5), (1, 2)),
            case(make.floats(5), 1),
        ]
    )
)
def dsplit(input, indices_or_sections=None, *, indices=None, sections=None):
    """Views of the parts along the third dimension.

    >>> first, rest = torch.arange(6).reshape(1, 2, 3).dsplit([1])
    >>> rest
    tensor([[[1, 2],
             [4, 5]]])
    """
    return split_along("dsplit", input, given(indices_or_sections, indices, sections), 3, 2)


def given(*choices: Any) -> Any:
    """The one of torch's names for an argument that was used."""
    for each in choices:
        if each is not None:
            return each
    return None
