"""Joining: one tensor out of several."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.memory.layout import packed_strides
from rushlight.core.memory.strides import strides_of
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.promotion import common
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import joined
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.formats import is_channels_last
from rushlight.ops.machine.layouts import FORMAT, restrided
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import JOINED
from rushlight.ops.shape.slicing import slice_dim

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


def JOIN(op: Op, arrays: list) -> None:
    """The tensors of a list are brought to their common dtype, which is the result's."""
    tensors = arrays[0]
    if type(tensors) is not list:
        raise TypeError(f"{op.name}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    if not tensors:
        if op.name == "cat":
            raise ValueError("torch.cat(): expected a non-empty list of Tensors")
        raise RuntimeError(f"{op.name} expects a non-empty TensorList")
    kind = tensors[0].dtype
    if all([each.dtype is kind for each in tensors]):
        return
    _, kind = common(tensors)
    arrays[0] = [each if each.dtype is kind else each.astype(kind) for each in tensors]


@op(
    dtype=JOIN,
    batch=JOINED,
    linear=True,
    layout=FORMAT,
    method=False,
    aliases=["concat", "concatenate"],
    samples=cases(
        lambda make: [
            case([make.floats(2, 3), make.floats(1, 3)]),
            case([make.floats(2, 3), make.floats(2, 1), make.floats(2, 2)], 1),
            case([make.floats(2, 3), make.floats(3, 2).T], -1),
            case([make.floats(3), make.floats(0)]),
            case([make.floats(2, 3), make.floats(0)], 1),
            case([make.floats(2), make.floats(2, dtype="float64")]),
            case([make.ints(2), make.floats(2), make.bools(2)]),
            case((make.ints(2, dtype="int8"), make.ints(2, dtype="uint8"))),
            case([make.floats(2, dtype="float16"), make.floats(1, dtype="float16")]),
            case([make.complexes(2), make.floats(1)]),
            case([make.floats(2, 3), make.floats(2, 2)]),
            case([make.floats(2, 3), make.floats(2)]),
            case([make.floats(), make.floats()]),
            case([]),
            case([make.floats(2, 3), make.floats(2, 3)], 2),
        ]
    ),
)
def cat(tensors: list[Tensor], dim=0, *, out=None):
    """The tensors one after another along a dimension.

    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """
    first = tensors[0].shape
    if first in ((), (0,)) or any([each.shape != first for each in tensors]):
        kept = joinable(tensors, dim)
        if not kept:
            return np.zeros(0, tensors[0].dtype)
        tensors = kept
    return np.concatenate(tensors, axis(dim, tensors[0].ndim))


cat.gradient(tensors=lambda grad, tensors_shape, dim: cat_parts(grad, tensors_shape, dim))


def joinable(tensors: list[np.ndarray], dim: int) -> list[np.ndarray]:
    """The tensors, checked to fit; without those of shape (0,), which fit anything."""
    first = None
    for place, each in enumerate(tensors):
        if not each.ndim:
            words = f"zero-dimensional tensor (at position {place}) cannot be concatenated"
            raise explained(RuntimeError, words, fix="join numbers with torch.stack([...])")
        if each.shape == (0,):
            continue
        if first is None:
            first = each.shape
            dim = axis(dim, len(first))
        if each.ndim != len(first):
            raise explained(
                RuntimeError,
                f"Tensors must have same number of dimensions: got {len(first)} and {each.ndim}",
                fix="give the smaller one the missing dimension, with unsqueeze(0) for one more row",
            )
        if first[:dim] != each.shape[:dim] or first[dim + 1 :] != each.shape[dim + 1 :]:
            raise sizes_differ(tensors, first, each.shape, dim, place)
    return [each for each in tensors if each.shape != (0,)]


def sizes_differ(tensors: list[np.ndarray], first: tuple, shape: tuple, dim: int, place: int) -> RuntimeError:
    """The error of a tensor that does not continue the first."""
    a, b = next((a, b) for other, (a, b) in enumerate(zip(first, shape, strict=True)) if a != b and other != dim)
    return explained(
        RuntimeError,
        f"Sizes of tensors must match except in dimension {dim}. Expected size {a} but got size {b} for tensor "
        f"number {place} in the list.",
        fix=joined([each.shape for each in tensors]),
    )


def cat_parts(grad: Tensor, shapes: list[tuple], dim: int) -> list[Tensor]:
    """Each tensor's part of the gradient of `cat`."""
    found, start = [], 0
    for shape in shapes:
        if shape == (0,):
            found.append(grad.new_zeros(0))
            continue
        place = axis(dim, len(shape))
        end = start + shape[place]
        found.append(slice_dim(grad, place, start, end))
        start = end
    return found


def STACKED(op: Op, arrays: list, result: np.ndarray) -> np.ndarray:
    """Contiguous; images with their channels last keep that, the new dimension where `unsqueeze` would have it."""
    tensors, dim = arrays[:2]
    first = tensors[0]
    if result.ndim != 5 or dim in (4, -1) or not all([is_channels_last(each) for each in tensors]):
        return result if result.flags.c_contiguous else result.copy()
    dim, strides = axis(dim, 5), strides_of(first)
    wide = (*strides[:dim], first.shape[dim] * strides[dim], *strides[dim:])
    return restrided(result, packed_strides(result.shape, [wide]))


@op(
    dtype=JOIN,
    batch=JOINED,
    linear=True,
    layout=STACKED,
    method=False,
    samples=cases(
        lambda make: [
            case([make.floats(2, 3), make.floats(2, 3)]),
            case([make.floats(2, 3), make.floats(3, 2).T], 1),
            case([make.floats(2, 3), make.floats(2, 3)], -1),
            case([make.floats(), make.floats()]),
            case([make.floats(0), make.floats(0)], 1),
            case((make.ints(2), make.floats(2))),
            case([make.floats(2), make.floats(3)]),
            case([]),
            case([make.floats(2), make.floats(2)], 2),
        ]
    ),
)
def stack(tensors: list[Tensor], dim=0, *, out=None):
    """The tensors side by side along a new dimension.

    >>> torch.stack([torch.tensor(1.0), torch.tensor(2.0)])
    tensor([1., 2.])
    """
    first = tensors[0].shape
    dim = axis(dim, len(first) + 1)
    for place, each in enumerate(tensors):
        if each.shape != first:
            raise explained(
                RuntimeError,
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(each.shape)} at entry {place}",
                fix="torch.cat joins tensors of different lengths",
            )
    shape = (*first[:dim], 1, *first[dim:])
    return np.concatenate([each.reshape(shape) for each in tensors], dim)


stack.gradient(tensors=lambda grad, dim: parts(grad, dim))


def parts(grad: Tensor, dim: int) -> list[Tensor]:
    """What a stacked tensor was made of; where that is recorded, one by one, as torch does."""
    if not state.grad:
        return list(grad.unbind(dim))
    return [grad.select(dim, place) for place in range(grad.shape[dim])]


def stacks(make):
    return [
        case([make.floats(2, 3, 2), make.floats(2, 3, 2)]),
        case([make.floats(3), make.floats(3)]),
        case([make.floats(), make.floats()]),
        case((make.ints(2, 2), make.floats(2, 2))),
        case([]),
    ]


def each_atleast(function, tensors, name: str) -> list[Tensor]:
    """The tensors with dimensions added by `function`."""
    if isinstance(tensors, Tensor):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    if isinstance(tensors, (tuple, list)) and not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return [function(each) if isinstance(each, Tensor) else each for each in tensors]


@composed(method=False, samples=cases(stacks))
def hstack(tensors, *, out=None):
    """The tensors one after another along the columns; along the first dimension if they have one only.

    >>> torch.hstack([torch.tensor([[1], [2]]), torch.tensor([[3], [4]])])
    tensor([[1, 3],
            [2, 4]])
    """
    tensors = each_atleast(atleast_1d, tensors, "hstack")
    return cat(tensors, int(tensors[0].ndim > 1), out=out)


@composed(method=False, aliases=["row_stack"], samples=cases(stacks))
def vstack(tensors, *, out=None):
    """The tensors one after another along the rows.

    >>> torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return cat(each_atleast(atleast_2d, tensors, "vstack"), 0, out=out)


@composed(method=False, samples=cases(stacks))
def dstack(tensors, *, out=None):
    """The tensors one after another along the third dimension.

    >>> torch.dstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    return cat(each_atleast(atleast_3d, tensors, "dstack"), 2, out=out)


@composed(method=False, samples=cases(stacks))
def column_stack(tensors, *, out=None):
    """The tensors side by side; numbers and vectors as columns.

    >>> torch.column_stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    columns = each_atleast(lambda each: each if each.ndim > 1 else each.reshape(-1, 1), tensors, "column_stack")
    return cat(columns, 1, out=out)


def atleast(dims: list, tensors: tuple):
    """Each tensor with new dimensions where `dims`, by its own number of dimensions, says."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        return atleast(dims, tuple(tensors[0])) if len(tensors[0]) != 1 else (atleast(dims, tuple(tensors[0])),)
    found = []
    for each in tensors:
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {len(found)} in argument 0, but got {type(each).__name__}")
        if each.ndim == 0:
            each = each.reshape((1,) * len(dims))
        for dim in dims[each.ndim] if each.ndim < len(dims) else ():
            each = each.unsqueeze(dim)
        found.append(each)
    return found[0] if len(found) == 1 else tuple(found)


def atleast_cases(make):
    return [
        case(make.floats()),
        case(make.floats(3)),
        case(make.floats(2, 3)),
        case(make.floats(2), make.floats()),
    ]


@composed(method=False, samples=cases(atleast_cases))
def atleast_1d(*tensors):
    """Tensors with at least one dimension.

    >>> torch.atleast_1d(torch.tensor(5))
    tensor([5])
    """
    return atleast([(0,)], tensors)


@composed(method=False, samples=cases(atleast_cases))
def atleast_2d(*tensors):
    """Tensors with at least two dimensions.

    >>> torch.atleast_2d(torch.tensor([1, 2]))
    tensor([[1, 2]])
    """
    return atleast([(0, 0), (0,)], tensors)


@composed(method=False, samples=cases(atleast_cases))
def atleast_3d(*tensors):
    """Tensors with at least three dimensions.

    >>> torch.atleast_3d(torch.zeros(2, 3)).shape
    torch.Size([2, 3, 1])
    """
    return atleast([(0, 0, 0), (0, 2), (2,)], tensors)


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(2, 3), make.floats(2), make.floats()),
            case(make.floats(2), make.ints(1, 2)),
            case(make.floats(0, 2), make.floats(1, 1)),
            case(make.floats(2, 2, 2)),
            case(),
        ]
    ),
)
def block_diag(*tensors):
    """A matrix with the given ones on its diagonal, zero elsewhere.

    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([[3], [4]]))
    tensor([[1, 2, 0],
            [0, 0, 3],
            [0, 0, 4]])
    """
    if not tensors:
        from rushlight.core.object.tensor import wrap

        return wrap(np.zeros((1, 0), dtypes.default.numpy))
    return joined_diagonally(list(tensors))


@op(dtype=JOIN, linear=True, name="_block_diag", samples=None)
def joined_diagonally(tensors: list[Tensor]):
    for place, each in enumerate(tensors):
        if each.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {place} has "
                f"{each.ndim} dimensions"
            )
    blocks = [each.reshape((1,) * (2 - each.ndim) + each.shape) for each in tensors]
    rows, columns = [builtins.sum([block.shape[dim] for block in blocks]) for dim in (0, 1)]
    found = np.zeros((rows, columns), tensors[0].dtype)
    row = column = 0
    for block in blocks:
        height, width = block.shape
        found[row : row + height, column : column + width] = block
        row, column = row + height, column + width
    return found


joined_diagonally.gradient(tensors=lambda grad, tensors_shape: diagonal_blocks(grad, tensors_shape))


def diagonal_blocks(grad: Tensor, shapes: list[tuple]) -> list[Tensor]:
    """Each tensor's part of the gradient of `block_diag`."""
    found, row, column = [], 0, 0
    for shape in shapes:
        height, width = (1,) * (2 - len(shape)) + shape
        found.append(grad.narrow(0, row, height).narrow(1, column, width).reshape(shape))
        row, column = row + height, column + width
    return found
