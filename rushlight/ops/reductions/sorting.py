"""Sorting: elements in order, the first few of them, and places in sorted sequences."""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.layouts import LIKE
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.reductions.maxima import to_chosen


def samples(make, *extra):
    nans = np.array([[1, np.nan, 3], [4, 2, 0]], "float32")
    return [
        case(make.distinct(3, 4)),
        case(make.distinct(3, 4), 0),
        case(make.distinct(3, 4), dim=-1, descending=True),
        corner(nans),
        corner(nans, descending=True),
        case(make.ints(9, low=0, high=3), stable=True),
        case(make.ints(3, 9, low=0, high=3), dim=0, descending=True, stable=True),
        case(make.bools(7), stable=True),
        case(make.floats()),
        case(make.floats(0, 3)),
        case(make.distinct(4, 2).T),
        case(make.distinct(6).astype("float16")),
        case(make.floats(3), 1),
        case(make.complexes(3)),
        *extra,
    ]


@op(dtype=SAME, layout=LIKE, returns=("values", "indices"), samples=cases(samples))
def sort(input, dim=-1, descending=False, *, stable=False, out=None):
    """Elements in ascending order along `dim`, and where each came from; NaN counts as the largest.

    >>> values, indices = torch.tensor([3, 1, 2]).sort()
    >>> values
    tensor([1, 2, 3])
    >>> indices
    tensor([1, 2, 0])
    """
    if input.dtype.kind == "c":
        raise RuntimeError("Sort does not support complex dtypes on CPU")
    dim = axis(dim, input.ndim)
    indices = order(input, dim, descending)
    return take_along(input, indices, dim), indices


sort.gradient(input=lambda grad, indices, input_shape, dim: to_chosen(grad, indices, input_shape, dim, True))


def order(input, dim, descending=False):
    """The indices that sort, equal elements in the order of the input."""
    if not input.ndim:
        return np.zeros((), np.int64)
    if input.dtype in dtypes.HALF:
        input = input.astype(np.float32)
    if not descending:
        return input.argsort(dim, "stable")
    backwards = (slice(None),) * dim + (slice(None, None, -1),)
    return np.ascontiguousarray(input.shape[dim] - 1 - input[backwards].argsort(dim, "stable")[backwards])


def take_along(input, indices, dim):
    if input.ndim <= 1:
        return input[indices] if input.ndim else input.copy()
    return np.take_along_axis(input, indices, dim)


@composed(samples=cases(samples))
def argsort(input, dim=-1, descending=False, *, stable=False, axis=None):
    """The indices that sort the input along `dim`.

    >>> x = torch.tensor([10, 30, 20])
    >>> x.argsort()
    tensor([0, 2, 1])
    >>> x[x.argsort(descending=True)]
    tensor([30, 20, 10])
    """
    return sort(input, dim if axis is None else axis, descending, stable=stable).indices


@composed(samples=cases(lambda make: [case(make.distinct(3, 4)), case(make.floats()), case(make.ints(5))]))
def msort(input, *, out=None):
    """The input sorted along its first dimension.

    >>> torch.tensor([[3, 1], [2, 9]]).msort()
    tensor([[2, 1],
            [3, 9]])
    """
    return write_composed("msort", sort(input, 0).values, out)


@op(
    dtype=SAME,
    returns=("values", "indices"),
    samples=cases(
        lambda make: [
            case(make.distinct(3, 4), 2),
            case(make.distinct(3, 4), 2, 0, False),
            case(make.distinct(3, 4), k=4, largest=False, sorted=True),
            case(make.distinct(3, 4), 0),
            case(make.floats(), 1),
            case(make.ints(5) * 10, 2),
            corner(np.array([1, np.nan, 3], "float32"), 2),
            case(make.distinct(6).astype("float16"), 3),
            case(make.distinct(3), 4),
            case(make.bools(3), 1),
            case(make.complexes(3), 1),
        ]
    ),
)
def topk(input, k: int, dim=-1, largest=True, sorted=True, *, out=None):
    """The `k` largest (or smallest) elements along `dim`, in order, and where each came from.

    >>> torch.tensor([1, 9, 5, 7]).topk(2)
    torch.return_types.topk(
    values=tensor([9, 7]),
    indices=tensor([1, 3]))
    """
    if input.dtype.kind in "bc":
        kind = "bool" if input.dtype.kind == "b" else "complex"
        raise RuntimeError(f"topk does not support {kind} dtypes on CPU")
    dim = axis(dim, input.ndim)
    if not 0 <= k <= (input.shape[dim] if input.ndim else 1):
        raise RuntimeError(f"selected index k out of range: k is {k}, the dimension has {input.shape[dim : dim + 1]}")
    first = (slice(None),) * dim + (slice(k),)
    indices = np.ascontiguousarray(order(input, dim, largest)[first]) if input.ndim else np.zeros((), np.int64)
    return take_along(input, indices, dim), indices


topk.gradient(input=lambda grad, indices, input_shape, dim: to_chosen(grad, indices, input_shape, dim, True))


@op(
    dtype=SAME,
    returns=("values", "indices"),
    samples=cases(
        lambda make: [
            case(make.distinct(3, 4), 2),
            case(make.distinct(3, 4), 3, 0, True),
            case(make.distinct(3, 4), k=1, dim=1),
            case(make.floats(), 1),
            case((make.distinct(4, 2) * 4).astype("int64"), 2, 0),
            case(make.distinct(4, 3).T, 1),
            case(make.distinct(3), 4),
            case(make.distinct(3), 0),
            case(make.bools(3), 1),
            case(make.floats(0, 3), 1, 0),
            case(make.floats(0, 3), 1, 1),
        ]
    ),
)
def kthvalue(input, k: int, dim=-1, keepdim=False, *, out=None):
    """The `k`-th smallest element along `dim`, counted from 1, and where it came from.

    >>> torch.tensor([10, 50, 20]).kthvalue(2)
    torch.return_types.kthvalue(
    values=tensor(20),
    indices=tensor(2))
    """
    dim = axis(dim, input.ndim)
    size = input.shape[dim] if input.ndim else 1
    if not size:
        raise IndexError(f"kthvalue(): Expected reduction dim {dim} to have non-zero size.")
    if not 1 <= k <= size:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}: {k} of {size}")
    refuse(input, "bc", "kthvalue_cpu")
    return chosen(input, take_one(order(input, dim), k - 1, dim), dim, keepdim)


kthvalue.gradient(input=to_chosen)


def refuse(input, kinds, kernel):
    """torch's refusal of dtypes without an order, or of some others."""
    if input.dtype.kind in kinds:
        raise no_kernel(kernel, dtypes.from_numpy(input.dtype).scalar)


def take_one(indices, place, dim):
    """One place along `dim`, which stays as a dimension of size 1."""
    return indices[(slice(None),) * dim + (slice(place, place + 1),)] if indices.ndim else indices


def chosen(input, indices, dim, keepdim):
    """The elements at `indices`, of which there is one along `dim`, and the indices."""
    values = take_along(input, indices, dim)
    if keepdim or not input.ndim:
        return values, indices
    return values.squeeze(dim), indices.squeeze(dim)
