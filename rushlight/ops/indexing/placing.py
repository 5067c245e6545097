"""Placing: whole parts of a tensor written, added or filled at positions of a dimension."""

from __future__ import annotations

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import INDICES, one_dtype
from rushlight.ops.indexing.gathering import check_flat, check_long, index_select, take
from rushlight.ops.indexing.indices import INDEX_KINDS
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.layouts import LIKE
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.index_words import PLACED
from rushlight.ops.machine.writing import (
    add_at,
    check_position,
    check_range,
    fold_parts,
    number_for,
    overwrite,
    scalar_name,
    target_of,
    wrapped,
)


def as_vectors(*arrays: np.ndarray) -> list[np.ndarray]:
    """0-dim arrays as vectors of one element, sharing memory."""
    return [each if each.ndim else each.reshape(1) for each in arrays]


def check_parts(
    name: str, input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray
) -> tuple[np.ndarray, int, np.ndarray, np.ndarray]:
    """Input, dimension, index and source of `index_add` and kin, checked; 0-dim ones as vectors."""
    if index.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim}")
    if index.dtype not in INDEX_KINDS:
        words = f"{name}(): Expected dtype int32/int64 for index but got: {scalar_name(index)}"
        raise explained(RuntimeError, words, fix=INDICES)
    if source.dtype != input.dtype:
        raise explained(
            RuntimeError,
            f"{name}(): self ({scalar_name(input)}) and source ({scalar_name(source)}) must have the same scalar type",
            fix=one_dtype(input.dtype, source.dtype),
        )
    dim = axis(dim, input.ndim)
    length = source.shape[dim] if dim < source.ndim else 1
    if source.ndim and index.size != length:
        raise RuntimeError(
            f"{name}(): Number of indices ({index.size}) should be equal to source.size(dim): ({length}), "
            f"for dim: {dim}"
        )
    rest = [each.shape[:dim] + each.shape[dim + 1 :] for each in (input, source)]
    if rest[0] != rest[1] or input.ndim != source.ndim:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(input.shape)} source.shape = {list(source.shape)}"
        )
    input, index, source = as_vectors(input, index, source)
    words = "index out of range in self" if input.ndim == 1 or name != "index_add_" else ""
    if name != "index_add_" or input.size or input.ndim == 1:
        check_range(index, dim, input.shape[dim], words)
    return input, dim, index, source


def has_parts(input: np.ndarray, dim: int) -> bool:
    """Whether there is anything at a position: torch looks at no position of parts that are empty."""
    return 0 not in input.shape[:dim] + input.shape[dim + 1 :]


@op(
    dtype=SAME,
    batch=PLACED,
    linear=True,
    inplace=overwrite,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0, np.array([0, 2, 0]), make.floats(3, 4)),
            case(make.floats(3, 4), -1, np.array([0, 2], "int32"), make.floats(3, 2), alpha=2),
            case(make.floats(4, 3).T, 1, np.array([1, 1]), make.floats(3, 2), alpha=-0.5),
            case(make.ints(4), 0, np.array([1, 1, 2]), make.ints(3)),
            case(make.bools(4), 0, np.array([1, 1, 2]), make.bools(3)),
            case(make.floats(3), 0, np.array(1), make.floats(1)),
            case(make.floats(), 0, np.array(0), make.floats()),
            case(make.floats(3, 2), 0, np.array([], "int64"), make.floats(0, 2)),
            case(make.floats(3, 2), 0, np.array([3]), make.floats(1, 2)),
            case(make.floats(3, 2), 0, np.array([0, 1]), make.floats(1, 2)),
            case(make.floats(3, 2), 0, np.array([0]), make.floats(1, 3)),
            case(make.floats(3, 2), 0, np.array([[0]]), make.floats(1, 2)),
            case(make.floats(3), 0, np.array([0]), make.ints(1)),
        ]
    ),
)
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha=1, out=None):
    """The input with parts of `source`, times `alpha`, added to those at the given positions along `dim`.

    >>> rewards, episodes = torch.tensor([1.0, 2.0, 5.0]), torch.tensor([0, 0, 1])
    >>> torch.zeros(2).index_add(0, episodes, rewards)
    tensor([3., 5.])
    """
    result = target_of(input, out)
    flat, dim, index, source = check_parts("index_add_", result, dim, index, source)
    if alpha != 1:
        source = source * np.asarray(alpha).astype(source.dtype)
    if index.size and flat.size:
        fold_parts(flat, dim, index, source)
    return result


index_add.gradient(
    input=lambda grad: grad,
    source=lambda grad, dim, index, alpha, source_shape: index_select(grad, dim, index).reshape(source_shape) * alpha,
)


@op(
    dtype=SAME,
    batch=PLACED,
    linear=True,
    inplace=overwrite,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0, np.array([0, 2]), make.floats(2, 4)),
            case(make.floats(3, 4), -1, np.array([3, 2]), make.floats(3, 2)),
            case(make.floats(4, 3).T, 1, np.array([1]), make.floats(3, 1)),
            case(make.ints(4), 0, np.array([1, 2]), make.ints(2)),
            case(make.floats(3), 0, np.array([1]), make.floats()),
            case(make.floats(), 0, np.array([0]), make.floats(1)),
            case(make.floats(3, 2), 0, np.array([], "int64"), make.floats(0, 2)),
            case(make.floats(3, 2), 0, np.array([3]), make.floats(1, 2)),
            case(make.floats(3, 2), 0, np.array([0], "int32"), make.floats(1, 2)),
            case(make.floats(3, 2), 0, np.array([0]), make.floats(2)),
            case(make.floats(3, 2), 0, np.array([0]), make.floats(1, 3)),
            case(make.floats(3), 0, np.array([0]), make.ints(1)),
        ]
    ),
)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor, *, out=None):
    """The input with the parts of `source` written over those at the given positions along `dim`.

    >>> torch.zeros(3, 2).index_copy(0, torch.tensor([2]), torch.tensor([[1.0, 2.0]]))
    tensor([[0., 0.],
            [0., 0.],
            [1., 2.]])
    """
    dim = axis(dim, input.ndim)
    check_copied(input, dim, index, source)
    result = target_of(input, out)
    flat, index = as_vectors(result, index)
    if has_parts(flat, dim):
        check_range(index, dim, flat.shape[dim], function="index_copy_(): ")
        flat[(slice(None),) * dim + (index,)] = source
    return result


def check_copied(input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> None:
    """Refuse an index or a source that does not fit the parts to be written."""
    name = "index_copy_()"
    if index.ndim > 1:
        raise IndexError(f"{name}: Index should have dimension 1 or 0 (got {index.ndim})")
    if not source.ndim and index.size != 1:
        raise IndexError(f"{name}: When source is scalar, index should have one element (got {index.size})")
    if source.ndim != input.ndim and source.ndim and input.ndim:
        raise IndexError(
            f"{name}: When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({input.ndim})"
        )
    check_long("index_copy_", index)
    if source.dtype != input.dtype:
        raise explained(
            RuntimeError,
            f"{name}: self and source expected to have the same dtype, but got (self) {scalar_name(input)} "
            f"and (source) {scalar_name(source)}",
            fix=one_dtype(input.dtype, source.dtype),
        )
    rest = [each.shape[:dim] + each.shape[dim + 1 :] for each in (input, source)]
    if rest[0] != rest[1]:
        raise RuntimeError(
            f"{name}: Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{list(rest[0])} at dimension {dim} and source slice shape: {list(rest[1])} at dimension {dim}."
        )
    if source.ndim and index.size != source.shape[dim]:
        raise IndexError(
            f"{name}: Number of indices ({index.size}) should be equal to source.size(dim) ({source.shape[dim]})"
        )


index_copy.gradient(
    input=lambda grad, dim, index: grad.index_fill(dim, index, 0),
    source=lambda grad, dim, index, source_shape: index_select(grad, dim, index).reshape(source_shape),
)


@op(
    dtype=SAME,
    batch=PLACED,
    layout=LIKE,
    inplace=overwrite,
    node=lambda value: "IndexFillBackward1" if isinstance(value, Tensor) else "IndexFillBackward0",
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0, np.array([0, -1]), 2),
            case(make.floats(3, 4), -1, np.array([3, 2]), make.floats()),
            case(make.floats(4, 3).T, 1, np.array(1), 0.5),
            case(make.ints(4), 0, np.array([1, 2]), 2.7),
            case(make.bools(4), 0, np.array([1, 2]), True),
            case(make.floats(), 0, np.array([0]), 1),
            case(make.floats(3, 2), 0, np.array([], "int64"), 1),
            case(make.floats(3, 2), 0, np.array([3]), 1),
            case(make.floats(3, 2), 0, np.array([0], "int32"), 1),
            case(make.floats(3, 2), 0, np.array([[0]]), 1),
            case(make.floats(3, 2), 0, np.array([0]), make.floats(1)),
        ]
    ),
)
def index_fill(input: Tensor, dim: int, index: Tensor, value, *, out=None):
    """The input with one value written over the parts at the given positions along `dim`.

    >>> torch.ones(2, 3).index_fill(1, torch.tensor([0, 2]), -1)
    tensor([[-1.,  1., -1.],
            [-1.,  1., -1.]])
    """
    dim = axis(dim, input.ndim)
    if index.dtype != np.int64:
        raise IndexError(f"index_fill_(): Expected dtype int64 for index, not {scalar_name(index)}: use .long()")
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if isinstance(value, np.ndarray):
        if value.ndim:
            raise RuntimeError(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value.ndim} dimension(s)."
            )
        value = value.item() if value.dtype != input.dtype else value
    if not isinstance(value, np.ndarray):
        if isinstance(value, complex) and input.dtype.kind != "c":
            raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
        value = number_for(value, input.dtype)
    result = target_of(input, out, like=True)
    flat, index = as_vectors(result, index)
    if has_parts(flat, dim):
        try:
            flat[(slice(None),) * dim + (index,)] = value
        except IndexError:
            # NumPy looks at all positions before it writes: 3 us less than looking here
            check_position(index, dim, flat.shape[dim])
            raise
    return result


index_fill.gradient(
    input=lambda grad, dim, index: grad.index_fill(dim, index, 0),
    value=lambda grad, dim, index: index_select(grad, dim, filled_once(grad, dim, index)).sum(),
)


def filled_once(grad: Tensor, dim: int, index: Tensor) -> Tensor:
    """The positions that were filled, counted from the front, each of them once."""
    size = grad._array.shape[axis(dim, grad._array.ndim)] if grad._array.ndim else 1
    return index.remainder(size).unique() if index.numel() else index


@op(
    dtype=SAME,
    layout=LIKE,
    inplace=overwrite,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), np.array([0, 5, -1]), make.floats(3)),
            case(make.floats(3, 4), np.array([[0, 5], [0, 1]]), make.floats(4), accumulate=True),
            case(make.floats(4, 3).T, np.array([0, 1]), make.floats(2, 1)),
            case(make.ints(4), np.array(1), make.ints()),
            case(make.floats(), np.array([0]), make.floats(1)),
            case(make.floats(3), np.array([], "int64"), make.floats(0)),
            case(make.floats(3), np.array([3]), make.floats(1)),
            case(make.floats(3), np.array([0, 1]), make.floats(1)),
            case(make.floats(3), np.array([0], "int32"), make.floats(1)),
            case(make.floats(3), np.array([0]), make.ints(1)),
            case(make.floats(0), np.array([0]), make.floats(1)),
        ]
    ),
)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate=False, *, out=None):
    """The input with `source` written over, or added to, positions counted through the whole tensor.

    >>> torch.zeros(2, 2).put(torch.tensor([3, 0]), torch.tensor([8.0, 9.0]))
    tensor([[9., 0.],
            [0., 8.]])
    """
    check_long("put_", index)
    if source.dtype != input.dtype:
        raise explained(
            RuntimeError,
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{scalar_name(input)} and source.dtype = {scalar_name(source)}",
            fix=one_dtype(input.dtype, source.dtype),
        )
    if source.size != index.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.size}, index.numel() = {index.size}"
        )
    if index.size and not input.size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    check_flat(index, input.size)
    result = target_of(input, out)
    if not index.size:
        return result
    if accumulate:
        add_at(result, wrapped(index, input.size).reshape(-1), source.reshape(-1))
    else:
        result.reshape(-1)[index.reshape(-1)] = source.reshape(-1)
    return result


put.gradient(
    input=lambda grad, index, source_shape, accumulate: (
        grad if accumulate else grad.put(index, grad.new_zeros(source_shape))
    ),
    source=lambda grad, index, source_shape: take(grad, index).reshape(source_shape),
)
