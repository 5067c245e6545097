"""Words for elements that tensors of positions name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.ops.machine.transforms.words import Batch, each_sample, shift


def are_mapped(batch: Batch, name: str) -> bool:
    known = batch.inside.get(batch.op.positions[name])
    return known is True or (isinstance(known, list) and any(known))


def has_masks(batch: Batch) -> bool:
    from rushlight.core.numbers.dtypes import bool_, uint8

    return any([each.dtype in (bool_, uint8) for each in batch["indices"]])


def wide(batch: Batch) -> int:
    """The number of dimensions that the positions have together."""
    place = batch.op.positions["indices"]
    known = batch.inside.get(place) or [False] * len(batch["indices"])
    return max([each.ndim - there for each, there in zip(batch["indices"], known, strict=True)])


def with_numbers(batch: Batch) -> list[Tensor]:
    """The positions for a whole batch: the number of the sample first, then each index."""
    from rushlight.core.creation.ranges import arange

    place = batch.op.positions["indices"]
    known = batch.inside.get(place) or [False] * len(batch["indices"])
    dims = wide(batch)
    found = [arange(batch.size).reshape(batch.size, *[1] * dims)]
    for each, there in zip(batch["indices"], known, strict=True):
        sizes = each.shape[1:] if there else each.shape
        lead = batch.size if there else 1
        found.append(each.reshape(lead, *[1] * (dims - len(sizes)), *sizes))
    return found


def front(dims: tuple[int, ...]) -> bool:
    """Whether the positions' dimensions come first in a result: those that are indexed do not lie side by side."""
    return dims[-1] - dims[0] != len(dims) - 1


def AT_POSITIONS(batch: Batch) -> Any:
    """The elements at positions along dimensions."""
    dims = tuple(batch["dims"])
    if has_masks(batch):
        return each_sample(batch)
    if not are_mapped(batch, "indices"):
        found = batch.call(dims=shift(dims, batch.ndim(0)))
        return found.movedim(wide(batch), 0) if front(dims) else found
    batch.fill(0)
    count, indices = wide(batch), with_numbers(batch)
    found = batch.call(indices=indices, dims=(0, *shift(dims, batch.ndim(0))))
    before = 0 if front(dims) else dims[0]
    return found.movedim(tuple(range(1, 1 + count)), tuple(range(1 + before, 1 + before + count))) if before else found


def INTO_POSITIONS(batch: Batch) -> Any:
    """Zeros with values added at positions along dimensions."""
    dims, shape = tuple(batch["dims"]), (batch.size, *batch["shape"])
    if has_masks(batch):
        return each_sample(batch)
    batch.fill(0)
    values, count = batch.arguments[0], wide(batch)
    if not are_mapped(batch, "indices"):
        values = values.movedim(0, count) if front(dims) else values
        return batch.call(input=values, dims=shift(dims, len(shape)), shape=shape)
    before = 0 if front(dims) else dims[0]
    if before:
        values = values.movedim(tuple(range(1 + before, 1 + before + count)), tuple(range(1, 1 + count)))
    return batch.call(input=values, indices=with_numbers(batch), dims=(0, *shift(dims, len(shape))), shape=shape)


def PUT(batch: Batch) -> Any:
    """A tensor with values put at positions along dimensions."""
    dims = tuple(batch["dims"])
    if has_masks(batch):
        return each_sample(batch)
    batch.fill(0)
    place = batch.op.positions["values"]
    count = wide(batch)
    before = 0 if front(dims) else dims[0]
    rest = batch.ndim(0) - len(dims)
    batch.raise_to(place, count + rest)
    values = batch.arguments[place]
    if batch.is_mapped(place) and before:
        values = values.movedim(tuple(range(1 + before, 1 + before + count)), tuple(range(1, 1 + count)))
    elif before and values.ndim > rest - before:
        return each_sample(batch)
    return batch.call(values=values, indices=with_numbers(batch), dims=(0, *shift(dims, batch.ndim(0))))


def are_held(mask: Tensor) -> Tensor:
    """The positions where a mask holds, counted through all its dimensions."""
    return mask.reshape(-1).nonzero().reshape(-1)


def WHERE_HELD(batch: Batch) -> Any:
    """The parts where a mask on the first dimensions holds, which is the same for all samples."""
    input, mask = batch.arguments[0], batch["mask"]
    if are_mapped(batch, "mask"):
        raise explained(
            RuntimeError,
            "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
            "indexing with a boolean mask.",
            fix="keep the shape: torch.where(mask, x, 0)",
        )
    shape = input.shape[1:]
    if shape[: mask.ndim] != mask.shape:
        return each_sample(batch)  # refuses
    rows = input.reshape(batch.size, mask.numel(), *shape[mask.ndim :])
    return rows.index_select(1, are_held(mask))


def INTO_HELD(batch: Batch) -> Any:
    """Zeros with the parts where a mask holds, which is the same for all samples."""
    if are_mapped(batch, "mask"):
        return each_sample(batch)
    parts, mask, shape = batch.arguments[0], batch["mask"], batch["shape"]
    rows = parts.new_zeros((batch.size, mask.numel(), *shape[mask.ndim :]))
    return rows.index_copy(1, are_held(mask), parts).reshape(batch.size, *shape)


def ELEMENTS_HELD(batch: Batch) -> Any:
    """The elements where a mask holds, which is the same for all samples and stretched to them."""
    input, mask = batch.arguments[0], batch["mask"]
    if are_mapped(batch, "mask"):
        raise explained(
            RuntimeError,
            "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because "
            "for each batch this would return a differently shaped Tensor.",
            fix="keep the shape: torch.where(mask, x, 0)",
        )
    batch.raise_to(0, mask.ndim)
    input = batch.arguments[0]
    shape = np.broadcast_shapes(input.shape[1:], mask.shape)
    rows = input.expand(batch.size, *shape).reshape(batch.size, math.prod(shape))
    return rows.index_select(1, are_held(mask.expand(shape)))


def SELECTED(batch: Batch) -> Any:
    """Whole slices at the positions of one index."""
    dim, index = batch["dim"], batch["index"]
    if not are_mapped(batch, "index"):
        return batch.call(dim=shift(dim, batch.ndim(0))) if batch.ndim(0) else each_sample(batch)
    if batch.ndim(batch.op.positions["index"]) != 1 or not batch.ndim(0):
        return each_sample(batch)
    batch.fill(0)
    value = batch.arguments[0]
    dim = dim % batch.ndim(0) + 1
    shape = [batch.size] + [1] * (value.ndim - 1)
    shape[dim] = index.shape[1]
    sizes = list(value.shape)
    sizes[dim] = index.shape[1]
    return value.gather(dim, index.reshape(shape).expand(sizes))


def PLACED(batch: Batch) -> Any:
    """Slices written, or added, at the positions of one index, which is the same for all samples."""
    places = [place for place in batch.tensors() if batch.op.names[place] != "index"]
    if are_mapped(batch, "index") or not all([batch.ndim(place) for place in places]):
        return each_sample(batch)
    batch.fill(*places)
    return batch.call(dim=shift(batch["dim"], batch.ndim(0)))


def LOOKED_UP(batch: Batch) -> Any:
    """Rows of a table."""
    if not are_mapped(batch, "weight"):
        return batch.call()
    if batch["padding_idx"] >= 0:
        # a row of each table, whose gradient is left out
        return each_sample(batch)
    from rushlight.core.creation.ranges import arange

    batch.fill()
    weight, indices = batch["weight"], batch["indices"]
    # the tables one below the other: each sample looks into its own
    first = arange(batch.size, dtype=indices.dtype).reshape(batch.size, *[1] * (indices.ndim - 1)) * weight.shape[1]
    return batch.call(weight=weight.flatten(0, 1), indices=indices + first, padding_idx=-1)


def TAKEN(batch: Batch) -> Any:
    """Elements by their number among all."""
    if not are_mapped(batch, "input"):
        return batch.call()
    from rushlight.core.creation.ranges import arange

    batch.fill()
    value, index = batch["input"].reshape(batch.size, -1), batch["index"]
    return value[arange(batch.size)[:, None], index.reshape(batch.size, -1)].reshape(index.shape)


def SEARCHED(batch: Batch) -> Any:
    """Places in sorted rows."""
    is_same = not are_mapped(batch, "sorted_sequence") and not are_mapped(batch, "sorter")
    if is_same and batch["sorted_sequence"].ndim == 1:
        return batch.call()
    if batch.ndim(0) == 1 and isinstance(batch["input"], Tensor):
        batch.fill(*batch.tensors())
        wanted = batch["input"]
        return batch.call(input=wanted.reshape(batch.size, -1)).reshape(wanted.shape)
    return each_sample(batch)


def MASKED_VALUE(batch: Batch) -> Any:
    """A value where a mask holds, which may be another one for each sample."""
    place = batch.op.positions["value"]
    if not batch.is_mapped(place):
        batch.align(0, 1)
        return batch.call()
    batch.align(*batch.tensors())
    return batch["value"].to(batch["input"].dtype).where(batch["mask"], batch["input"])
