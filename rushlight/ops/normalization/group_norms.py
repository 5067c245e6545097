"""Group norms: groups of channels brought to mean 0 and variance 1, and channels damped by their neighbours."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.images.taps import Taps, from_windows, tap
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.formats import laid_out
from rushlight.ops.machine.kinds import require_floats, require_one_kind
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.layer_words import GROUPED
from rushlight.ops.normalization.batch_norms import channel_shape, over_channels
from rushlight.ops.normalization.normalization import normalized_gradient, total


@op(
    dtype=MATCH,
    batch=GROUPED,
    operands=["input"],
    name="_group_norm",
    node="NativeGroupNormBackward0",
    returns=("output", "mean", "scale"),
    samples=None,
    saves=("input", "weight"),
)
def normalized_groups(input, num_groups: int, weight: "Tensor" = None, bias: "Tensor" = None, eps=1e-05):
    """The result, and the mean and one over the standard deviation of each group of each example."""
    require_floats("GroupNormKernelImpl", input)
    if not is_straight(input):
        output, mean, scale = straightened(normalized_groups, input, num_groups, weight, bias, eps)
        return laid_out(output, input), mean, scale
    rows = input.reshape(input.shape[0], num_groups, size_of_group(input.shape, num_groups))
    count = rows.shape[2] or 1
    mean = np.add.reduce(rows, 2) / count
    output = rows - mean[..., None]
    scale = 1 / np.sqrt(np.add.reduce(output * output, 2) / count + float(eps))
    output *= scale[..., None]
    output = output.reshape(input.shape)
    shape = channel_shape(input)
    if weight is not None:
        output *= weight.astype(input.dtype, copy=False).reshape(shape)
    if bias is not None:
        output += bias.astype(input.dtype, copy=False).reshape(shape)
    return laid_out(output, input), mean, scale


normalized_groups.gradient(
    input=lambda grads, input, mean, scale, weight, num_groups: group_gradient(
        grads, input, mean, scale, weight, num_groups
    ),
    weight=lambda grad, input, mean, scale, num_groups: (
        None if grad is None else over_channels(grad * normal(input, mean, scale, num_groups).reshape(grad.shape))
    ),
    bias=lambda grad: None if grad is None else over_channels(grad),
)


def size_of_group(shape: Any, num_groups: int) -> int:
    size = shape[1] // num_groups
    for each in shape[2:]:
        size *= each
    return size


def normal(input: Tensor, mean: Tensor, scale: Tensor, num_groups: int) -> Tensor:
    """The groups of each example, normalized: (N, groups, elements)."""
    rows = input.reshape(input.shape[0], num_groups, size_of_group(input.shape, num_groups))
    return (rows - mean[..., None]) * scale[..., None]


def group_gradient(
    grads: list, input: Tensor, mean: Tensor, scale: Tensor, weight: Tensor | None, num_groups: int
) -> Tensor | None:
    """Through the result and, where a gradient of this gradient used them, through the mean and the scale."""
    rows = normal(input, mean, scale, num_groups)
    wide = scale[..., None]
    size = rows.shape[2] or 1
    found = None
    if grads[0] is not None:
        through = grads[0] if weight is None else grads[0] * weight.reshape(channel_shape(input))
        found = normalized_gradient(through.reshape(rows.shape), rows, wide, (2,), True)
    if grads[1] is not None:
        found = total(found, (grads[1] / size)[..., None].expand(rows.shape))
    if grads[2] is not None:
        found = total(found, grads[2][..., None] * rows * wide * wide * (-1 / size))
    return None if found is None else found.reshape(input.shape)


def grouped(input: Tensor, num_groups: int, weight: Tensor | None, bias: Tensor | None, eps: float) -> Any:
    """The results of `normalized_groups`, if its arguments fit."""
    array = input._array
    if array.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {array.ndim}")
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if array.shape[1] % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(array.shape)} and num_groups={num_groups}"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is None:
            continue
        if each._array.shape != array.shape[1:2]:
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(each.shape)} and input of shape {list(array.shape)}"
            )
    require_one_kind(array.dtype, *[None if each is None else each._array for each in (weight, bias)])
    return normalized_groups(input, num_groups, weight, bias, eps)


def groups(make):
    x = make.floats(2, 6, 5)
    return [
        case(x, 3),
        case(x, 2, make.floats(6), make.floats(6)),
        case(x, 6, None, make.floats(6), 0.1),
        case(make.floats(2, 6), 1),
        case(make.floats(2, 6, 4, 2, dtype="float64"), 3, make.floats(6, dtype="float64")),
        case(make.floats(5, 6, 2).T, 3),
        case(make.floats(0, 6), 2),
        case(make.floats(2, 6, 5, dtype="float16"), 3),
        case(x, 4),
        case(x, -2),
        case(x, 3, make.floats(5)),
        case(make.floats(1, 3), 3),
        case(make.floats(3), 3),
        case(make.ints(2, 6, 5), 3),
    ]


@composed(name="nn.functional.group_norm", samples=cases(groups))
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    """Groups of channels of each example `(N, C, *)` less their mean, divided by their standard deviation.

    Each channel is then multiplied by its weight, and its bias added.

    >>> F.group_norm(torch.tensor([[1.0, 3.0, 10.0, 30.0]]), num_groups=2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    if num_groups:
        shape = [input.shape[0] * input.shape[1] // num_groups, num_groups, *input.shape[2:]]
        if shape[0] * size_of_group([1, 1, *shape[2:]], 1) == 1:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size {list(input.shape)}"
            )
    return grouped(input, num_groups, weight, bias, eps)[0]


def with_flag(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
    cudnn_enabled: bool = True,
) -> Tensor:
    """`nn.functional.group_norm`, with a switch that means something on other devices.

    >>> torch.group_norm(torch.tensor([[1.0, 3.0, 10.0, 30.0]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    return grouped(input, num_groups, weight, bias, eps)[0]


NAMESPACES[""]["group_norm"] = with_flag


@lru_cache(maxsize=64)
def neighbours(channels: int, before: int, after: int) -> Taps:
    """Taps on the channels around each one."""
    places = np.arange(channels)
    return from_windows(channels, np.maximum(places - before, 0), np.minimum(places + after + 1, channels))


@lru_cache(maxsize=64)
def kept_neighbours(channels: int, half: int) -> Taps:
    """Taps on the channels around each one and, as torch's `CrossMapLRN2d` never drops it, the first one."""
    places = np.arange(channels)[:, None] + np.arange(-half, half + 1)
    rows = [sorted({0, *[place for place in each if 0 <= place < channels]}) for each in places.tolist()]
    counts = np.array([len(row) for row in rows])
    filled = np.zeros((channels, counts.max(initial=0)), np.int64)
    for place, row in enumerate(rows):
        filled[place, : len(row)] = row
    return Taps(channels, filled, counts)


def cross_map(input: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
    """`nn.CrossMapLRN2d`."""
    if input.ndim != 4:
        raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead.")
    return damped(input, kept_neighbours(input.shape[1], int((size - 1) / 2)), size, alpha, beta, k)


def damped(input: Tensor, around: Taps, size: int, alpha: float, beta: float, k: float) -> Tensor:
    """The input divided by a power of `k` plus `alpha` times the mean square of the channels around each one."""
    squares = (input * input).reshape(*input.shape[:2], -1)
    sums = tap(squares, (around, None), "AvgPool3DBackward0").reshape(input.shape)
    mean = sums / size if input.is_floating_point() else sums // size
    return input / (mean * alpha + k).pow(beta)


@composed(
    name="nn.functional.local_response_norm",
    samples=cases(
        lambda make: [
            case(make.floats(2, 5, 3), 2),
            case(make.floats(2, 5, 3, 2), 3, 0.1, 0.5, 2.0),
            case(make.floats(2, 5, 3, 2, 2, dtype="float64"), 4, alpha=0.5),
            case(make.floats(0, 5, 3), 2),
            case(make.ints(2, 5, 3), 2),
            case(make.floats(2, 3), 2),
            case(make.floats(2, 5, 3), 0),
        ]
    ),
)
def local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0):
    """Each channel divided by a power of the mean square of the `size` channels around it.

    >>> F.local_response_norm(torch.tensor([[[1.0], [2.0], [3.0]]]), size=3, alpha=3.0, beta=1.0).squeeze()
    tensor([0.1667, 0.1333, 0.2143])
    """
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    if size <= 0:
        raise RuntimeError(f"kernel size should be greater than zero, but got kT: {size}")
    if not input.numel():
        return input
    return damped(input, neighbours(input.shape[1], size // 2, (size - 1) // 2), size, alpha, beta, k)
