"""Segments: reductions over consecutive runs of a dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import refuse_history
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.level import all_numbers
from rushlight.ops.reductions.sorting import refuse
from rushlight.ops.shape.joining import cat, stack

if TYPE_CHECKING:
    from rushlight.core.object.tensor import Tensor

# torch's names, the reduction, and what an empty segment gives
REDUCTIONS = {
    "sum": (np.add, 0.0),
    "mean": (np.add, np.nan),
    "prod": (np.multiply, 1.0),
    "max": (np.maximum, -np.inf),
    "min": (np.minimum, np.inf),
}
OTHER_NAMES = {"amax": "max", "amin": "min"}


def runs(make):
    x, lengths = make.distinct(6, 2) + np.float32(0.1), np.array([2, 0, 3, 1])
    rows = np.array([[1, 2, 0], [0, 0, 3]])
    found = []
    for reduce in REDUCTIONS:
        found += [
            corner(x, reduce, lengths=lengths),
            case(x, reduce, lengths=lengths, initial=0.5),
            case(make.distinct(2, 3) + np.float32(0.1), reduce, lengths=rows, axis=1, initial=1),
            case(x, reduce, offsets=np.array([0, 2, 5, 6])),
        ]
    return [
        *found,
        case(x.astype("float64"), "sum", lengths=lengths.astype("int32")),
        case(make.floats(6), "max", lengths=np.array([2, 3]), unsafe=True),
        case(x, "sum"),
        case(x, "median", lengths=lengths),
        case(x, "sum", lengths=np.array([1, 2])),
        case(x, "sum", lengths=np.array([-1, 7])),
        case(x, "sum", indices=lengths),
        case(x, "sum", lengths=lengths.astype("float32")),
        case(make.ints(6), "sum", lengths=lengths),
    ]


@composed(method=False, samples=cases(runs))
def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """The sum, mean, product, largest or smallest of each run of rows; the runs follow one another along `axis`.

    `lengths` says how long each is, or `offsets` where each starts and the last one ends.

    >>> data = torch.tensor([1.0, 2.0, 3.0, 4.0])
    >>> torch.segment_reduce(data, "sum", lengths=torch.tensor([1, 3]))
    tensor([1., 9.])
    """
    refuse_history("segment_reduce", lengths=lengths, indices=indices, offsets=offsets)
    name = OTHER_NAMES.get(reduce, reduce)
    if name not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.: give lengths or offsets")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if offsets is not None:
        require_whole("offsets", offsets)
        return segments(data, name, offsets, axis, None if initial is None else float(initial))
    cuts = check_lengths(data, lengths, axis, unsafe)
    return segments(data, name, cuts, axis, None if initial is None else float(initial))


def require_whole(name: str, given: Tensor) -> None:
    """Refuse lengths and offsets that are no integers."""
    if given._array.dtype.kind not in "iu":
        raise no_kernel(f"_segment_reduce_{name}_cpu_kernel1", given.dtype.scalar, fix="convert it first: x.long()")


def check_lengths(data: Tensor, lengths: Tensor, axis: int, unsafe: bool) -> Tensor:
    """The lengths as offsets: a zero, then where each segment ends."""
    given = lengths._array
    require_whole("lengths", lengths)
    if axis != given.ndim - 1:
        raise RuntimeError(
            f"segment_reduce(): Expected axis to be the last dimension of lengths but got {axis}: lengths have "
            f"{given.ndim} dimensions"
        )
    if not unsafe:
        given = all_numbers(lengths)
        if given.size and given.min() < 0:
            raise RuntimeError("lengths contains negative value!")
        if (given.sum(-1) != data.shape[axis]).any():
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
                f"!unsafe., which is {data.shape[axis]}"
            )
    zero = lengths.new_zeros((*lengths.shape[:-1], 1))
    return cat([zero, lengths.cumsum(-1)], -1)


@op(dtype=SAME, name="_segment_reduce", node="SegmentReduceBackward0", samples=None)
def segments(data, reduce: str, offsets, axis: int, initial: float):
    """Reductions of data[..., offsets[k] : offsets[k + 1], ...] for each k."""
    refuse(data, "biuc", "_segment_reduce_cpu")
    function, empty = REDUCTIONS[reduce]
    start = {"mean": 0.0}.get(reduce, empty) if initial is None else initial
    found = np.empty((*data.shape[:axis], offsets.shape[-1] - 1, *data.shape[axis + 1 :]), data.dtype)
    for row in np.ndindex(offsets.shape[:-1]):
        for place, (first, last) in enumerate(zip(offsets[row][:-1], offsets[row][1:], strict=True)):
            total = function.reduce(data[row][first:last], 0, initial=start)
            if reduce == "mean":
                total = total / (last - first) if last > first else total + (empty if initial is None else 0)
            found[row][place] = total
    return found


def segment_gradient(grad, data, result, reduce, offsets, axis, initial):
    """Each row gets its segment's share: all of it, an equal part, or that of the largest."""
    lengths = offsets.diff(dim=-1)
    size = data.shape[axis]
    if reduce == "mean":
        grad = grad / lengths.reshape([*lengths.shape, *[1] * (data.ndim - lengths.ndim)])
    if reduce == "prod":
        return repeated(grad, lengths, size, axis) * others(data, lengths, offsets, axis, initial)
    if reduce in ("sum", "mean"):
        return repeated(grad, lengths, size, axis)
    chosen = (data == repeated(result, lengths, size, axis)) | data.isnan()
    count = segments(chosen.to(data.dtype), "sum", offsets, axis, 0.0).clamp(min=1)
    return repeated(grad / count, lengths, size, axis) * chosen


def others(data: Tensor, lengths: Tensor, offsets: Tensor, axis: int, initial: float) -> Tensor:
    """The product of the other elements of each element's segment, also where some are zero."""
    is_zero = data == 0
    filled = data.where(~is_zero, 1)
    size = data.shape[axis]
    product = repeated(segments(filled, "prod", offsets, axis, initial), lengths, size, axis)
    zeros = repeated(segments(is_zero.to(data.dtype), "sum", offsets, axis, 0.0), lengths, size, axis)
    return product / filled * (zeros == is_zero)


def repeated(values: Tensor, lengths: Tensor, size: int, axis: int) -> Tensor:
    """The value of each segment at all of its places; zero where there is none."""
    if lengths.ndim > 1:
        parts = [
            repeated(one, each, size, axis - 1) for one, each in zip(values.unbind(0), lengths.unbind(0), strict=True)
        ]
        return stack(parts) if parts else values.new_zeros((*values.shape[:axis], size, *values.shape[axis + 1 :]))
    found = values.repeat_interleave(lengths, 0)
    rest = size - found.shape[0]
    return cat([found, values.new_zeros((rest, *values.shape[1:]))]) if rest else found


segments.gradient(data=segment_gradient)
