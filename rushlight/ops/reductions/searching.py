"""Searching: places in sorted sequences."""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.index_words import SEARCHED


def searches(make):
    line = np.sort(make.floats(5))
    rows = np.sort(make.floats(2, 5), -1)
    return [
        case(line, make.floats(2, 3)),
        case(line, line, right=True),
        case(rows, make.floats(2, 3)),
        case(rows, rows, side="right"),
        case(line, 0.5),
        case(np.array([1, 3, 5]), 3, right=True),
        case(np.array([1, 3, 5]), make.floats(3)),
        case(line[::-1].copy(), make.floats(3), sorter=np.arange(5)[::-1].copy()),
        case(line, make.floats(2), out_int32=True),
        case(line, make.floats(0)),
        case(rows, make.floats(3)),
        case(rows, 1.0),
        case(line, 1.0, side="left", right=True),
        case(line, 1.0, side="middle"),
        case(line, 1.0, sorter=np.arange(4)),
        case(line, 1.0, sorter=line),
        case(line, 1.0, sorter=np.arange(5) + 1),
        case(make.floats(), 1.0),
    ]


@op(dtype=SAME, batch=SEARCHED, method=False, samples=cases(searches))
def searchsorted(
    sorted_sequence,
    input: "Tensor | float",
    *,
    out_int32=False,
    right=False,
    side=None,
    sorter: "Tensor" = None,
    out=None,
):
    """Where each value would go into the sorted sequence (its last dimension) and leave it sorted.

    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 4]))
    tensor([1, 2])
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 4]), right=True)
    tensor([2, 2])
    """
    if sorted_sequence.dtype.kind in "bc" and np.size(input):
        raise refuse("searchsorted_out_cpu", sorted_sequence)
    values = np.asarray(input)
    if values.dtype.kind == "c":
        raise refuse("searchsorted_out_cpu", values)
    check(sorted_sequence, values, side, right, sorter)
    if sorter is not None:
        sorted_sequence = np.take_along_axis(sorted_sequence, sorter, -1)
    side = "right" if right or side == "right" else "left"
    if sorted_sequence.ndim == 1:
        found = sorted_sequence.searchsorted(values, side)
    else:
        found = np.empty(values.shape, np.int64)
        for place in np.ndindex(values.shape[:-1]):
            found[place] = sorted_sequence[place].searchsorted(values[place], side)
    return np.asarray(found, np.int32 if out_int32 else np.int64)


def check(sequence, values, side, right, sorter):
    """torch's conditions on the arguments of `searchsorted`."""
    name = "torch.searchsorted():"
    if side not in (None, "left", "right"):
        raise RuntimeError(f"{name} side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise RuntimeError(f"{name} side and right can't be set to opposites, got side of left while right was True")
    if sequence.ndim != 1 and not values.ndim:
        raise RuntimeError(
            f"{name} input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({sequence.ndim}) and input value's dim(0) numel(1)"
        )
    if not sequence.ndim:
        raise RuntimeError(f"{name} boundaries tensor should have positive dimension, but got 0 dimension")
    if sequence.ndim > 1 and sequence.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            f"{name} boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(sequence.shape)} "
            f"and input value tensor {list(values.shape)}"
        )
    if sorter is None:
        return
    if sorter.dtype != np.int64:
        raise RuntimeError(
            f"{name} sorter must be a tensor of long dtype but got dtype {dtypes.from_numpy(sorter.dtype)}"
        )
    if sorter.shape != sequence.shape:
        raise RuntimeError(
            f"{name} boundary and sorter must have the same size, but got boundary tensor "
            f"{list(sequence.shape)} and got sorter tensor {list(sorter.shape)}"
        )
    if sorter.size and not 0 <= sorter.min() <= sorter.max() < sequence.shape[-1]:
        raise RuntimeError(f"{name} sorter index out of range")


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), np.sort(make.floats(5))),
            case(make.ints(4), np.array([-2, 0, 3]), right=True),
            case(make.floats(4), np.array([-2, 0, 3]), out_int32=True),
            case(0.5, np.sort(make.floats(5))),
            case(make.floats(3), make.floats(2, 2)),
        ]
    ),
)
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """Which bucket each value falls into: the index of the first boundary that is not below it.

    >>> ages = torch.tensor([5, 18, 70])
    >>> torch.bucketize(ages, torch.tensor([12, 18, 65]))
    tensor([0, 1, 3])
    """
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)
