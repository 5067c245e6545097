"""Batch norms: each channel brought to mean 0 and variance 1 over a batch, or over each example of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.numbers.dtypes import HALF
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.formats import is_channels_last, laid_out
from rushlight.ops.machine.gradients import refuse_history
from rushlight.ops.machine.kinds import require_floats, require_one_kind
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.layer_words import BY_CHANNEL
from rushlight.ops.machine.transforms.level import DIFFERENTIATING, Level, is_lifted, is_mapped
from rushlight.ops.normalization.normalization import normalized_gradient, total


@op(
    dtype=MATCH,
    batch=BY_CHANNEL,
    operands=["input"],
    name="_batch_norm",
    node="NativeBatchNormBackward0",
    returns=("output", "mean", "scale", "variance"),
    samples=None,
    fused=True,
    saves=("input", "weight", "running_mean", "running_var"),
)
def normalized_batch(
    input,
    weight: "Tensor" = None,
    bias: "Tensor" = None,
    running_mean: "Tensor" = None,
    running_var: "Tensor" = None,
    training=True,
    eps=1e-05,
):
    """The result, and the mean, one over the standard deviation and the variance of each channel."""
    require_floats("batch_norm", input)
    kind = input.dtype
    if not is_channels_last(input) and not is_straight(input):
        arguments = (weight, bias, running_mean, running_var, training, eps)
        return straightened(normalized_batch, input, *arguments)
    dims = (0, *range(2, input.ndim))
    shape = channel_shape(input)
    if training:
        count = input.size // max(input.shape[1], 1) or 1
        mean = np.add.reduce(input, dims) / count
        output = input - mean.reshape(shape)
        variance = np.add.reduce(output * output, dims) / count
    else:
        mean, variance = running_mean.astype(kind), running_var.astype(kind)
        output = input - mean.reshape(shape)
    scale = 1 / np.sqrt(variance + float(eps))
    output *= scale.reshape(shape)
    if weight is not None:
        output *= weight.astype(kind, copy=False).reshape(shape)
    if bias is not None:
        output += bias.astype(kind, copy=False).reshape(shape)
    return laid_out(output, input), mean, scale, variance


normalized_batch.gradient(
    input=lambda grads, input, mean, scale, weight, training: batch_gradient(
        grads, input, mean, scale, weight, training
    ),
    weight=lambda grad, input, mean, scale: None if grad is None else over_channels(grad * normal(input, mean, scale)),
    bias=lambda grad: None if grad is None else over_channels(grad),
)


def channel_shape(input: Any) -> tuple[int, ...]:
    """The shape in which one number for each channel meets the input."""
    return (1, input.shape[1], *[1] * (input.ndim - 2))


def normal(input: Tensor, mean: Tensor, scale: Tensor) -> Tensor:
    shape = channel_shape(input)
    return (input - mean.reshape(shape)) * scale.reshape(shape)


def over_channels(grad: Tensor) -> Tensor:
    """The sum over all dimensions but that of the channels."""
    return grad.sum([0, *range(2, grad.ndim)])


def batch_gradient(
    grads: list, input: Tensor, mean: Tensor, scale: Tensor, weight: Tensor | None, training: bool
) -> Tensor | None:
    """Through the result and, where a gradient of this gradient used them, through the mean and the scale."""
    shape = channel_shape(input)
    wide = scale.reshape(shape)
    found = None
    if grads[0] is not None:
        through = grads[0] if weight is None else grads[0] * weight.reshape(shape)
        if not training:
            return through * wide
        dims = (0, *range(2, input.ndim))
        found = normalized_gradient(through, normal(input, mean, scale), wide, dims, True)
    if not training:
        return None
    size = input.numel() // (scale.numel() or 1) or 1
    if grads[1] is not None:
        found = total(found, (grads[1] / size).reshape(shape).expand(input.shape))
    if grads[2] is not None:
        slope = normal(input, mean, scale) * wide * wide * (-1 / size)
        found = total(found, grads[2].reshape(shape) * slope)
    return found


def check_channels(input: Tensor, **given: Tensor | None) -> None:
    """Refuse parameters and statistics that have not one element for each channel."""
    shape = input._array.shape
    if len(shape) < 2:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-max(len(shape), 1)}, {max(len(shape), 1) - 1}], "
            "but got 1): the input needs a batch and channels"
        )
    for name, each in given.items():
        if each is None:
            continue
        if each._array.size != shape[1]:
            raise RuntimeError(f"{name} should contain {shape[1]} elements not {each._array.size}")
        if "running" in name:
            refuse_history("native_batch_norm", **{name: each})
    order = [given[name] for name in ("weight", "bias", "running_mean", "running_var")]
    require_floats("batch_norm", input._array)
    require_one_kind(input._array.dtype, *[None if each is None else each._array for each in order])


def normalize(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    """The results of `normalized_batch`, after which the running statistics have moved."""
    if not training:
        for name, each in (("running_mean", running_mean), ("running_var", running_var)):
            if each is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
    check_channels(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if training:
        found = normalized_batch(input, weight, bias, running_mean, running_var, True, eps)
        count = input._array.size // max(input._array.shape[1], 1)
        if count:
            require_batches(input, running_mean, running_var)
            _, mean, _, variance = found if running_mean is None else with_wide_statistics(input, found, eps)
            move(running_mean, mean, momentum, 1)
            move(running_var, variance, momentum, count / max(count - 1, 1) if count > 1 else math.inf)
        return found
    return normalized_batch(input, weight, bias, running_mean, running_var, False, eps)


def with_wide_statistics(input: Tensor, found: Any, eps: float) -> Any:
    """What was found with statistics that running ones can move to: those of half precision not rounded to it."""
    if is_lifted(input) or input._array.dtype not in HALF:
        return found
    return normalized_batch(input.detach().float(), None, None, None, None, True, eps)


def move(running: Tensor | None, found: Tensor, momentum: float, factor: float) -> None:
    """A running statistic, part of the way to what was found; as in torch, not counted as a write."""
    if running is None:
        return
    running, found = numbers_of(running), numbers_of(found)
    if is_lifted(running) or is_lifted(found):
        if not is_mapped(running):
            # mapped along with a weight, or the other statistic, and the same for all samples
            found = first_of(found)
        running.copy_(running * (1 - momentum) + found.detach() * (momentum * factor))
        return
    array = running._array
    if array.dtype in HALF:  # rounded once
        array[...] = array.astype(np.float32) * (1 - momentum) + found._array.astype(np.float32) * (momentum * factor)
        return
    array *= 1 - momentum
    array += (found._array * (momentum * factor)).astype(array.dtype, copy=False)


def require_batches(input: Tensor, *running: Tensor | None) -> None:
    """Refuse to move a statistic that all samples share towards those of each."""
    if is_mapped(input) and not all([each is None or is_mapped(each) for each in running]):
        raise explained(
            RuntimeError,
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in "
            "place, were not batched.",
            fix="track_running_stats=False, or a copy of the statistics for each sample",
        )


def first_of(tensor: Tensor) -> Tensor:
    """The first sample of all."""
    while is_lifted(tensor):
        level: Level = tensor._array.level
        tensor = tensor._array.inner if level.outlived else tensor._array.inner.select(0, 0)
    return tensor


def numbers_of(tensor: Tensor) -> Tensor:
    """What stands below the transforms that differentiate: no gradient goes through a running statistic."""
    while is_lifted(tensor) and tensor._array.level.kind in DIFFERENTIATING:
        tensor = tensor._array.inner
    return tensor


def batches(make):
    x = make.floats(4, 3, 5)
    ones = make.floats(3, low=0.5)
    return [
        case(x, None, None, None, None, True),
        case(x, make.floats(3), ones, make.floats(3), make.floats(3), True, 0.0),
        case(x, make.floats(3), ones, make.floats(3), None, False, eps=0.1),
        case(make.floats(4, 3), make.floats(3), ones),
        case(make.floats(2, 3, 4, 2, dtype="float64"), None, None, training=True),
        case(make.floats(2, 3, 2, 2, 2), None, None, training=True),
        case(make.floats(5, 3, 4).T, None, None, training=True),
        case(make.floats(0, 3), None, None, training=True),
        case(x, None, None),
        case(x, make.floats(2), make.floats(2), training=True),
        case(x, None, None, make.floats(4), training=True),
        case(make.floats(1, 3), None, None, training=True),
        case(make.floats(3), None, None, training=True),
        case(make.ints(4, 3), None, None, training=True),
        case(x, None, None, training=True, eps=0.0),
    ]


@composed(name="nn.functional.batch_norm", samples=cases(batches))
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    """Each channel less its mean, divided by its standard deviation, times weight, plus bias.

    In training these are those of the batch `(N, C, *)`, and the running statistics move towards them by
    `momentum`; else they are the running ones.

    >>> x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
    >>> F.batch_norm(x, running_mean=None, running_var=None, training=True)
    tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]])
    """
    if training:
        shape = input.shape
        if math.prod(shape) == (shape[1] if len(shape) > 1 else 0) != 0:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")
        if eps <= 0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if isinstance(momentum, bool) or not isinstance(momentum, (int, float)):
        raise TypeError(f"batch_norm(): argument 'momentum' (position 7) must be float, not {type(momentum).__name__}")
    return by_torch_order(input, weight, bias, running_mean, running_var, training, momentum, eps)


def examples(make):
    x = make.floats(2, 3, 5)
    return [
        case(x),
        case(x, make.floats(3), make.floats(3, low=0.5), make.floats(3), make.floats(3), momentum=0.0),
        case(x, make.floats(3), make.floats(3, low=0.5), use_input_stats=False),
        case(make.floats(2, 3, 4, 2, dtype="float64"), weight=make.floats(3, dtype="float64"), eps=0.1),
        case(make.floats(2, 3, 2, 2, 2)),
        case(make.floats(5, 3, 2).T),
        case(make.floats(2, 3, 1)),
        case(make.floats(2, 3)),
        case(x, use_input_stats=False),
        case(x, make.floats(2), make.floats(2), momentum=0.0),
        case(x, weight=make.floats(2)),
    ]


@composed(name="nn.functional.instance_norm", samples=cases(examples))
def instance_norm(
    input,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    use_input_stats=True,
    momentum=0.1,
    eps=1e-05,
):
    """Each channel of each example `(N, C, *)` less its mean, divided by its standard deviation; then weighted.

    >>> F.instance_norm(torch.tensor([[[1.0, 3.0], [10.0, 30.0]]]))
    tensor([[[-1.0000,  1.0000],
             [-1.0000,  1.0000]]])
    """
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    return each_example(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)


def each_example(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """Instance norm: the batch norm of a batch of one example, with all channels of all examples.

    >>> x = torch.tensor([[[1.0, 3.0], [10.0, 30.0]]])
    >>> torch.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[[-1.0000,  1.0000],
             [-1.0000,  1.0000]]])
    """
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    batch, channels = input.shape[:2]
    each = lambda tensor: None if tensor is None else tensor.repeat(batch)
    means, variances = each(running_mean), each(running_var)
    together = input.contiguous().view(1, batch * channels, *input.shape[2:])
    found = normalize(together, each(weight), each(bias), means, variances, use_input_stats, momentum, eps)[0]
    for running, moved in ((running_mean, means), (running_var, variances)):
        if running is not None and use_input_stats:
            moved = moved.view(batch, channels)
            if is_lifted(running) or is_lifted(moved):
                running.copy_(moved.mean(0))
            else:
                running._array[...] = moved._array.mean(0)
    return found.view(input.shape)


def by_torch_order(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """`nn.functional.batch_norm`, with the parameters before the statistics.

    >>> x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
    >>> torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]])
    """
    if not input._array.size:
        found = input.clone() if weight is None else input.clone() * weight[0]
        return found if bias is None else found + bias[0]
    return normalize(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


NAMESPACES[""]["batch_norm"] = by_torch_order
NAMESPACES[""]["instance_norm"] = each_example
