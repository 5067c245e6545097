"""Batch norm over processes: mean and variance of all inputs, from those of each process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rushlight as torch
from rushlight.autograd import modes
from rushlight.core.object.tensor import Tensor
from rushlight.distributed.nn.functional import all_gather

if TYPE_CHECKING:
    from rushlight.nn.modules.batchnorm import SyncBatchNorm


def normalized(layer: SyncBatchNorm, input: Tensor) -> Tensor:
    """The input with mean 0 and variance 1 over all processes, scaled and shifted as the layer says."""
    dims = [dim for dim in range(input.ndim) if dim != 1]
    mean, variance, count = statistics(input, dims, layer.process_group)
    if layer.training and layer.track_running_stats:
        remember(layer, mean.detach(), variance.detach(), count)
    shape = [1, -1, *[1] * (input.ndim - 2)]
    result = (input - mean.view(shape)) * torch.rsqrt(variance + layer.eps).view(shape)
    if layer.weight is not None:
        result = result * layer.weight.view(shape)
    if layer.bias is not None:
        result = result + layer.bias.view(shape)
    return result.to(input.dtype)


def statistics(input: Tensor, dims: list[int], group: Any) -> tuple[Tensor, Tensor, float]:
    """Mean and variance over all processes, and the number of elements; one message carries them both ways."""
    own = input.numel() / input.shape[1]
    mean = input.mean(dims)
    variance = input.var(dims, correction=0)
    count = torch.full((1,), own, dtype=mean.dtype)
    size = len(mean)
    parts = torch.stack(all_gather(torch.cat([mean, variance, count]), group))
    means, variances, counts = parts[:, :size], parts[:, size : 2 * size], parts[:, 2 * size :].detach()
    total = counts.sum()
    whole = (means * counts).sum(0) / total
    # the spread inside of each process, and that between them
    spread = ((variances + (means - whole) ** 2) * counts).sum(0) / total
    return whole, spread, total.item()


def remember(layer: SyncBatchNorm, mean: Tensor, variance: Tensor, count: float) -> None:
    """Move the running averages, which take the unbiased variance."""
    assert layer.running_mean is not None and layer.running_var is not None
    with modes.no_grad():
        if layer.num_batches_tracked is not None:
            layer.num_batches_tracked.add_(1)
        factor = layer.momentum
        if factor is None:
            assert layer.num_batches_tracked is not None
            factor = 1.0 / float(layer.num_batches_tracked)
        layer.running_mean.mul_(1 - factor).add_(mean, alpha=factor)
        layer.running_var.mul_(1 - factor).add_(variance * (count / max(count - 1, 1)), alpha=factor)
