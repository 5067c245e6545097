"""Uniqueness: the different elements of a tensor, and how often each occurs."""

from __future__ import annotations

import numpy as np

from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.reductions.sorting import refuse


def samples(make):
    x = make.ints(3, 4, low=0, high=3)
    rows = make.ints(5, 2, low=0, high=2)
    return [
        case(x),
        corner(x.astype("float32"), return_inverse=True),
        case(x, return_counts=True),
        case(x, return_inverse=True, return_counts=True),
        case(rows, dim=0),
        case(rows, dim=0, return_inverse=True, return_counts=True),
        case(rows, dim=-1, return_counts=True),
        case(make.bools(4), return_counts=True),
        case(make.ints()),
        case(make.floats(0)),
        case(make.floats(0, 3), dim=0),
        case(make.floats(0, 3), dim=1),
        corner(np.array([np.nan, 1, np.nan], "float32"), return_counts=True),
        case(make.complexes(3)),
        case(rows, dim=2),
    ]


@composed(samples=cases(samples))
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements in ascending order, or the different slices along `dim`.

    >>> values, counts = torch.tensor([3, 1, 3]).unique(return_counts=True)
    >>> values
    tensor([1, 3])
    >>> counts
    tensor([1, 2])
    """
    return wanted(distinct(input, dim, False), return_inverse, return_counts)


@composed(samples=cases(samples))
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements, or the slices along `dim`, of which only the first of each run of equals is kept.

    >>> torch.tensor([1, 1, 2, 2, 1]).unique_consecutive()
    tensor([1, 2, 1])
    """
    return wanted(distinct(input, dim, True), return_inverse, return_counts)


def wanted(found, return_inverse, return_counts):
    """The values, with the inverse and the counts where asked for."""
    values, inverse, counts = found
    if not return_inverse and not return_counts:
        return values
    return (values, *([inverse] if return_inverse else []), *([counts] if return_counts else []))


@op(dtype=SAME, name="_distinct", samples=None, node=lambda dim, consecutive: node_name(dim, consecutive))
def distinct(input, dim: int, consecutive: bool):
    """Different elements or slices, which of them each one is, and how many there are of each."""
    refuse(input, "c", "unique")
    if dim is None:
        rows = input.reshape(-1, 1)
    else:
        if not input.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        dim = axis(dim, input.ndim)
        if not input.size and (input.shape.count(0) > 1 or input.shape[dim]):
            raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
        rows = np.moveaxis(input, dim, 0) if input.ndim else input[None]
        rows = rows.reshape(len(rows), -1) if rows.size else rows.reshape(0, 1)
    # bfloat16 has no order of its own among NaN
    keys = rows.astype(np.float32) if rows.dtype.kind == "V" else rows
    order = np.arange(len(rows)) if consecutive else np.lexsort(keys.T[::-1])
    ordered = rows[order]
    first = np.ones(len(rows), bool)
    # NaN differs from itself: each one stands alone
    first[1:] = np.logical_or.reduce(ordered[1:] != ordered[:-1], 1)
    inverse = np.empty(len(rows), np.int64)
    inverse[order] = np.add.accumulate(first) - 1
    counts = np.diff(np.append(first.nonzero()[0], len(rows)))
    if dim is None:
        return ordered[first, 0], inverse.reshape(input.shape), counts
    # torch finds the slices in rows of their own
    if not input.ndim:
        return input[None], inverse, counts
    values = np.moveaxis(np.take(np.moveaxis(input, dim, 0), order[first], 0), 0, dim)
    return values, inverse, counts


def node_name(dim, consecutive):
    return "UniqueConsecutiveBackward0" if consecutive else "Unique2Backward0" if dim is None else "UniqueDimBackward0"


distinct.gradient(input=lambda grad, dim, consecutive: refuse_gradient(dim, consecutive))


def refuse_gradient(dim, consecutive):
    name = "unique_consecutive" if consecutive else "_unique2" if dim is None else "unique_dim"
    raise NotImplementedError(f"the derivative for '{name}' is not implemented.")
