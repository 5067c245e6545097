"""Words for losses of rows that belong to a class each: the batch is more rows."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.transforms.words import Batch


def CLASSES(batch: Batch) -> Any:
    """The loss of rows (N, C), or of one row, summed up as `reduction` says; the last result is their shares."""
    ndim, reduction = batch.ndim(0), batch["reduction"]
    mapped_weight = batch.is_mapped(batch.op.positions["weight"])
    if ndim not in (1, 2) or mapped_weight or reduction not in ("mean", "sum", "none"):
        return NotImplemented
    batch.fill(0, 1)
    input, target = batch.arguments[:2]
    if not input.numel():
        return NotImplemented
    count = input.shape[1] if ndim == 2 else 1
    found = batch.call(input=joined(input, ndim), target=joined(target, ndim), reduction="none")
    by_sample = (batch.size, count) if ndim == 2 else (batch.size,)
    losses, shares = found[0].reshape(by_sample), found[-1]
    others = [each.reshape(input.shape) for each in found[1:-1]]
    if not shares.ndim:
        # every row counts, and none more than another
        shares = (shares / count if reduction == "mean" else shares).expand(batch.size)
        losses = losses if reduction == "none" else over_rows(losses, count)
        return losses / count if reduction == "mean" and count > 1 else losses, *others, shares
    shares = shares.reshape(by_sample)
    if reduction == "none":
        return losses, *others, shares
    losses = over_rows(losses, count)
    if reduction == "mean":
        total = over_rows(shares, count)
        losses = losses / total
        # where nothing counts there is no mean, but a gradient of zero
        total = total.masked_fill(total == 0, 1)
        shares = shares / (total.unsqueeze(1) if ndim == 2 else total)
    return losses, *others, shares


def AT_CLASSES(batch: Batch) -> Any:
    """Rows (N, C), or one row, with a class and a scale each, or a scale for all."""
    ndim = batch.ndim(0)
    if ndim not in (1, 2) or not batch.arguments[0].numel():
        return NotImplemented
    batch.fill(0, 1, 2)
    probs, target, scale = batch.arguments
    count = probs.shape[1] if ndim == 2 else 1
    scale = scale.reshape(batch.size, -1)
    if scale.shape[1] != count:
        scale = scale.expand(batch.size, count)
    found = batch.call(probs=joined(probs, ndim), target=joined(target, ndim), scale=scale.reshape(-1, 1))
    return found.reshape(probs.shape)


def joined(value: Tensor, ndim: int) -> Tensor:
    """The rows of all samples."""
    return value.flatten(0, 1) if ndim == 2 else value


def over_rows(value: Tensor, count: int) -> Tensor:
    """The sum over the rows of each sample."""
    return value.sum(1) if count > 1 else value.reshape(value.shape[0])
