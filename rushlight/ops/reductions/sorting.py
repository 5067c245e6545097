"""Sorting: elements in order, the first few of them, and places in sorted sequences."""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import by_float32
from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.halves import chosen_in_float32
from rushlight.ops.machine.layouts import LIKE
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.reductions.maxima import to_chosen
from rushlight.ops.reductions.selecting import apart, in_places, ranks_of, top_places
from rushlight.ops.reductions.selecting import place_of as selected_place

# below this many elements sorting is as fast as selecting
FEW = 32


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


@op(dtype=SAME, batch=ALONG, layout=LIKE, returns=("values", "indices"), samples=cases(samples))
def sort(input, dim=-1, descending=False, *, stable=False, out=None):
    """Elements in ascending order along `dim`, and where each came from; NaN counts as the largest.

    >>> values, indices = torch.tensor([3, 1, 2]).sort()
    >>> values
    tensor([1, 2, 3])
    >>> indices
    tensor([1, 2, 0])
    """
    dim = axis(dim, input.ndim)
    if input.dtype.kind == "c":
        raise RuntimeError("Sort does not support complex dtypes on CPU")
    if input.dtype in dtypes.HALF and input.ndim:
        return chosen_in_float32(sort, input, dim, descending)
    if not is_straight(input):
        return straightened(sort, input, dim, descending)
    indices = order(input, dim, descending)
    return take_along(input, indices, dim), indices


sort.gradient(input=lambda grad, indices, input_shape, dim: to_chosen(grad, indices, input_shape, dim, True))


def order(input, dim, descending=False):
    """The indices that sort, equal elements in the order of the input."""
    if not input.ndim:
        return np.zeros((), np.int64)
    if input.dtype in dtypes.HALF:
        input = by_float32(input, np.dtype("float32"))
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
    batch=ALONG,
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
    if not k and input.ndim:
        empty = (*input.shape[:dim], 0, *input.shape[dim + 1 :])
        return np.empty(empty, input.dtype), np.empty(empty, np.int64)
    if input.dtype in dtypes.HALF and input.ndim:
        return chosen_in_float32(topk, input, k, dim, largest, sorted)
    indices = top_indices(input, k, dim, largest, sorted) if input.ndim else np.zeros((), np.int64)
    return take_along(input, indices, dim), indices


def top_indices(input, k, dim, largest, is_sorted):
    """The indices of the first `k` in order; of equal elements, or if they need not be in order, as torch has them."""
    indices = order(input, dim, largest)
    places = np.moveaxis(indices, dim, -1)
    found = places[..., :k].copy()
    if found.size:
        values = np.moveaxis(take_along(input, indices, dim), dim, -1)
        tied = ~apart(values)[..., :k].all(-1) if is_sorted else np.ones(found.shape[:-1], bool)
        ranks = ranks_of(values) if tied.any() else None
        for row in zip(*tied.nonzero(), strict=True) if tied.ndim else [()] * int(tied):
            found[row] = top_places(in_places(places[row], ranks[row]), k, is_sorted)
    return np.ascontiguousarray(np.moveaxis(found, -1, dim))


topk.gradient(input=lambda grad, indices, input_shape, dim: to_chosen(grad, indices, input_shape, dim, True))


@op(
    dtype=SAME,
    batch=ALONG,
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
    found = place_of(input, k - 1, dim)
    if input.ndim and found.size:
        settle(input, k - 1, dim, found)
    return chosen(input, found, dim, keepdim)


def settle(input, number, dim, found):
    """Write into `found` which of equal elements torch's selection ends at, where the one of this number has equals."""
    compared = by_float32(input, np.dtype("float32")) if input.dtype in dtypes.HALF else input
    rows, target = np.moveaxis(compared, dim, -1), np.moveaxis(found, dim, -1)
    value = np.take_along_axis(rows, target, -1)
    equal = (rows == value) | ((rows != rows) & (value != value))
    tied = np.add.reduce(equal, -1, np.int64) > 1
    for row in zip(*tied.nonzero(), strict=True) if tied.ndim else [()] * int(tied):
        ranks = np.unique(rows[row], return_inverse=True)[1]
        target[(*row, 0)] = selected_place(np.ascontiguousarray(ranks, np.int64), number)


kthvalue.gradient(input=to_chosen)


def place_of(input, rank, dim):
    """Where the element stands that would be at `rank` in order along `dim`, which stays as a dimension of size 1."""
    if not input.ndim or input.shape[dim] < FEW:
        return take_one(order(input, dim), rank, dim).copy()
    compared = by_float32(input, np.dtype("float32")) if input.dtype in dtypes.HALF else input
    value = take_one(np.partition(compared, rank, dim), rank, dim)
    if (value != value).any():
        return take_one(order(input, dim), rank, dim).copy()
    # of several that are equal, in the order of the input, the one that as many of them come before
    before = rank - np.add.reduce(compared < value, dim, np.int64, keepdims=True)
    equal = compared == value
    if not before.any():
        return equal.argmax(dim, keepdims=True)
    return (equal.cumsum(dim) > before).argmax(dim, keepdims=True)


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
