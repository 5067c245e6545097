"""Native layers: the functions behind layers that also return what their backward needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.autograd.modes import no_grad
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import REGISTRY, composed
from rushlight.ops.machine.formats import is_channels_last
from rushlight.ops.machine.kinds import refuse, require_one_kind
from rushlight.ops.machine.out import write_results
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.normalization.batch_norms import normalize
from rushlight.ops.normalization.group_norms import grouped
from rushlight.ops.normalization.normalization import normalized_layer


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), (4,), None, None, 1e-5),
            case(make.floats(2, 3, 4), [3, 4], make.floats(3, 4), make.floats(3, 4), 0.1),
            case(make.floats(3, 4, dtype="float64"), (4,), make.floats(4, dtype="float64"), None, 1e-5),
            case(make.floats(0, 4), (4,), None, None, 1e-5),
            case(make.floats(3, 4), (3,), None, None, 1e-5),
        ]
    ),
)
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """`layer_norm`, with the mean and one over the standard deviation of each part that was normalized.

    >>> x = torch.tensor([[1.0, 3.0], [5.0, 25.0]])
    >>> result, mean, scale = torch.native_layer_norm(x, [2], None, None, 1e-5)
    >>> mean.squeeze(), scale.squeeze()
    (tensor([ 2., 15.]), tensor([1.0000, 0.1000]))
    """
    require_one_kind(input._array.dtype, *[None if each is None else each._array for each in (weight, bias)])
    output, mean, scale = normalized_layer(input, normalized_shape, weight, bias, eps)
    return output, mean.detach(), scale.detach()


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(2, 6, 5), make.floats(6), make.floats(6), 2, 6, 5, 3, 1e-5),
            case(make.floats(2, 6, dtype="float64"), None, None, 2, 6, 1, 2, 0.1),
            case(make.floats(0, 6), None, None, 0, 6, 1, 2, 0.1),
            case(make.floats(2, 6, 5), make.floats(5), None, 2, 6, 5, 3, 1e-5),
        ]
    ),
)
def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    """`group_norm`, with the mean and one over the standard deviation of each group; the sizes are the input's own.

    >>> x = torch.tensor([[1.0, 3.0, 10.0, 30.0]])
    >>> torch.native_group_norm(x, None, None, 1, 4, 1, 2, 1e-5)[1]
    tensor([[ 2., 20.]])
    """
    if not input.is_contiguous() and not is_channels_last(input._array):
        raise RuntimeError(
            "Expected X.is_contiguous(memory_format) to be true, but got false: call .contiguous() first"
        )
    return tuple(grouped(input, group, weight, bias, eps))


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(4, 3, 2), None, None, None, None, True, 0.1, 1e-5),
            case(make.floats(4, 3), make.floats(3), make.floats(3), make.floats(3), make.floats(3), True, 0.0, 0.1),
            case(make.floats(4, 3), None, None, make.floats(3), make.floats(3, low=0.5), False, 0.1, 1e-5),
        ]
    ),
)
def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, *, out=None):
    """`batch_norm`, with the mean and one over the standard deviation of each channel, empty in evaluation.

    >>> x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
    >>> torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5)[1:]
    (tensor([ 2., 20.]), tensor([1.0000, 0.1000]))
    """
    found = with_statistics(input, weight, bias, running_mean, running_var, training, momentum, eps)
    return found if out is None else write_results(REGISTRY["native_batch_norm"], [each._array for each in found], out)


def with_statistics(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    output, mean, scale, _ = normalize(input, weight, bias, running_mean, running_var, training, momentum, eps)
    if training:
        return output, mean.detach(), scale.detach()
    return output, *[wrap(np.empty(0, mean._array.dtype)) for _ in range(2)]


def native_batch_norm_legit(input: Tensor, weight: Any, bias: Any, *rest: Any, out: Any = None) -> tuple:
    """`native_batch_norm`, also without running statistics."""
    if len(rest) == 3:
        rest = (None, None, *rest)
    return NAMESPACES[""]["native_batch_norm"](input, weight, bias, *rest, out=out)


def batch_norm_with_update(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
    *,
    out: Any = None,
) -> tuple:
    """`native_batch_norm` in training, and a place for what other devices keep."""
    if out is not None:
        raise RuntimeError("_batch_norm_with_update() failed to match any schema: it takes no out=")
    found = with_statistics(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return *found, wrap(np.empty(0, np.uint8))


def batch_norm_update_stats(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: float
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of each channel `(N, C, *)`; the running statistics, where given, are moved there.

    >>> torch.batch_norm_update_stats(torch.tensor([[1.0, 10.0], [3.0, 30.0]]), None, None, 0.1)
    (tensor([ 2., 20.]), tensor([  1., 100.]))
    """
    channels = input.size(1)
    if not input.is_floating_point():
        raise refuse("batch_norm_update_stats_cpu", input._array)
    kinds = {each.dtype for each in (running_mean, running_var) if each is not None} or {input.dtype}
    if input._array.dtype in dtypes.HALF and kinds == {dtypes.float32}:
        # half precision goes with statistics of float32
        input = input.float()
    if kinds != {input.dtype}:
        raise RuntimeError(
            "mixed dtype (CPU): all inputs must share same datatype. The running statistics are "
            f"{' and '.join(sorted(map(str, kinds)))}, the input {input.dtype}"
        )
    if not input.numel():
        raise RuntimeError(f"input tensor must have at least one element, but got input_sizes = {list(input.shape)}")
    numbers = input.detach().transpose(0, 1).reshape(channels, -1)
    mean, var = numbers.mean(1), numbers.var(1, correction=0)
    with no_grad():
        if running_mean is not None:
            running_mean.mul_(1 - momentum).add_(mean * momentum)
        if running_var is not None:
            count = numbers.shape[1]
            running_var.mul_(1 - momentum).add_(var * count / wrap(np.array(count - 1.0, np.float32)) * momentum)
    return mean, var


NAMESPACES[""]["batch_norm_update_stats"] = batch_norm_update_stats
NAMESPACES[""]["_native_batch_norm_legit"] = native_batch_norm_legit
NAMESPACES[""]["_batch_norm_with_update"] = batch_norm_with_update
