"""Words for views and rearrangements whose options say more than dimensions."""

from __future__ import annotations

import operator
from typing import Any

from rushlight.ops.machine.transforms.words import Batch, shift


def sizes_of(value: Any) -> tuple[int, ...]:
    """A size that may have been given as one number."""
    return (operator.index(value),) if not isinstance(value, (tuple, list)) else tuple(value)


def SQUEEZED(batch: Batch) -> Any:
    """Dimensions of size 1 taken out: those that are named, or all but the batch."""
    dim, ndim = batch["dim"], batch.ndim(0)
    sizes = batch.arguments[0].shape[1:]
    if dim is None:
        return batch.call(dim=tuple([place + 1 for place, size in enumerate(sizes) if size == 1]))
    if not ndim:
        return batch.call(dim=())
    return batch.call(dim=shift(dim, ndim))


def PERMUTED(batch: Batch) -> Any:
    """Dimensions in another order, the batch still first."""
    ndim = batch.ndim(0)
    dims = sizes_of(batch["dims"])
    if len(dims) != ndim:
        return batch.call(dims=(*dims, 0))
    return batch.call(dims=(0, *[each + 1 if each >= 0 else each for each in dims]))


def TURNED(batch: Batch) -> Any:
    """A matrix transposed."""
    value = batch.arguments[0]
    return value.transpose(1, 2) if batch.ndim(0) == 2 else value.view_as(value)


def EXPANDED(batch: Batch) -> Any:
    """Stretched to a size, new dimensions behind the batch."""
    size = sizes_of(batch["size"])
    batch.raise_to(0, len(size))
    return batch.call(size=(batch.size, *size))


def REPEATED(batch: Batch) -> Any:
    """Repeated along each dimension, new ones behind the batch."""
    repeats = sizes_of(batch["repeats"])
    batch.raise_to(0, len(repeats))
    return batch.call(repeats=(1, *repeats))


def ROLLED(batch: Batch) -> Any:
    """Moved around, along dimensions or as if there were one only."""
    dims = batch["dims"]
    if dims is None or (isinstance(dims, (tuple, list)) and not dims):
        value = batch.arguments[0]
        batch.arguments[0] = value.reshape(batch.size, -1)
        shifts = batch["shifts"]
        return batch.call(shifts=shifts, dims=1).reshape(value.shape)
    return batch.call(dims=shift(dims, batch.ndim(0)))


def PART(batch: Batch) -> Any:
    """What a basic index names, and its gradient."""
    index = batch["index"]
    index = (slice(None), *index) if type(index) is tuple else (slice(None), index, ...)
    if "shape" in batch.op.positions:
        return batch.call(index=index, shape=(batch.size, *batch["shape"]))
    return batch.call(index=index)


def TRACED(batch: Batch) -> Any:
    """The sum of each matrix's diagonal."""
    return batch.arguments[0].diagonal(0, 1, 2).sum(-1)


def ON_DIAGONAL(batch: Batch) -> Any:
    """Matrices with a vector each on a diagonal."""
    return batch.arguments[0].diag_embed(batch["offset"])


def OF_ALL_DIMS(batch: Batch) -> Any:
    """Along the dimensions that `dim` names: the last ones, or all, where it names none."""
    dim = batch["dim"]
    if dim is None:
        sizes = batch["s"] if "s" in batch.op.positions else None
        dim = tuple(range(1, batch.ndim(0) + 1)) if sizes is None else tuple(range(-len(sizes), 0))
    else:
        dim = shift(dim, batch.ndim(0))
    return batch.call(dim=dim)


def VALUED(batch: Batch) -> Any:
    """One value over every element, which may be another one for each sample."""
    value = batch["value"]
    if not batch.is_mapped(batch.op.positions["value"]):
        return batch.call()
    batch.fill(0)
    like = batch.arguments[0]
    return value.to(like.dtype).reshape(batch.size, *[1] * batch.ndim(0)).expand(like.shape).clone()


def FLAT_LAST(batch: Batch) -> Any:
    """A reduction of all elements, by the one of the same name along a dimension."""
    return ALL[batch.op.name](batch.arguments[0].reshape(batch.size, -1))


ALL = {
    "_max_all": lambda rows: rows.amax(1),
    "_min_all": lambda rows: rows.amin(1),
    "_median_all": lambda rows: rows.median(1).values,
    "_nanmedian_all": lambda rows: rows.nanmedian(1).values,
}
