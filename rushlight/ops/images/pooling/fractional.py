"""Fractional pooling: maxima of windows that start at random places, so that any ratio of sizes is possible."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor, wrap
from rushlight.core.random import random
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.ops.images.pooling.adaptive import best
from rushlight.ops.images.pooling.planes import scatter_planes
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.kinds import require_floats
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases

SIZES = {2: ("height", "width"), 3: ("time", "height", "width")}


@op(
    dtype=MATCH,
    operands=["input"],
    name="_fractional_max_pool",
    node=lambda output: f"FractionalMaxPool{len(output)}DBackward0",
    returns=("values", "indices"),
    samples=None,
    fused=True,
)
def fractional_maximum(input, kernel: tuple, output: tuple, samples: Tensor):
    """The maxima of windows at random places, and where they stand within their plane."""
    count = len(kernel)
    lead, sizes = input.shape[: input.ndim - count], input.shape[input.ndim - count :]
    samples = samples[: len(input)].reshape(*lead, count) if len(lead) == 2 else samples[0]
    # torch's planes take the sample of their width first, its volumes last
    order = range(count) if count == 3 else reversed(range(count))
    starts = [
        first_places(samples[..., source], size, window, made)
        for source, size, window, made in zip(order, sizes, kernel, output, strict=True)
    ]
    return best(input, count, positions(starts, sizes, kernel))


fractional_maximum.gradient(
    input=lambda grad, indices, input, output: scatter_planes(grad, indices, input._array.shape[-len(output) :])
)


def first_places(samples: np.ndarray, size: int, window: int, output: int) -> np.ndarray:
    """Where the windows of each plane start along one dimension."""
    found = np.full((*samples.shape, output), size - window, np.int64)
    if output > 1:
        # in the dtype of the samples, as torch: a rounding decides where a window starts
        kind = samples.dtype.type
        alpha = kind(size - window) / kind(output - 1)
        steps = np.arange(output - 1).astype(samples.dtype)
        ahead = ((steps + samples[..., None]) * alpha).astype(np.int64)
        found[..., :-1] = ahead - (samples[..., None] * alpha).astype(np.int64)
    return found


def positions(starts: list[np.ndarray], sizes: tuple, kernel: tuple):
    """For each element of a window: where the windows of each plane have theirs."""
    lead = starts[0].ndim - 1
    for offsets in itertools.product(*map(range, kernel)):
        place = np.zeros(starts[0].shape[:-1], np.int64)
        for dim, (start, size, offset) in enumerate(zip(starts, sizes, offsets, strict=True)):
            place = place[..., None] * size + (start + offset).reshape(*start.shape[:lead], *[1] * dim, start.shape[-1])
        yield place, True


def pooled(
    input: Tensor, count: int, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Tensor | None
) -> Any:
    name, array = f"fractional_max_pool{count}d", input._array
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if array.ndim not in (count + 1, count + 2):
        kind = IndexError if array.ndim < count + 1 else RuntimeError
        raise kind(
            f"Dimension out of range: {name}() expected {count + 1}D or {count + 2}D input, not {list(array.shape)}"
        )
    for dim in range(array.ndim - count - 1, array.ndim):
        if not array.shape[dim]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got{list(array.shape)} "
                f"with dimension {dim} being empty."
            )
    kernel = sizes_of(name, "kernel_size", kernel_size, count)
    if min(kernel) <= 0:
        raise RuntimeError(f"{name}(): kernel_size must be greater than zero, but got {kernel_size}")
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * count
        if len(ratios) != count:
            raise ValueError(f"{name} requires output_ratio to either be a single number or {count} of them")
        output_size = [int(size * ratio) for size, ratio in zip(array.shape[-count:], ratios, strict=True)]
    output = sizes_of(name, "output_size", output_size, count)
    for what, size, window, made in zip(SIZES[count], array.shape[-count:], kernel, output, strict=True):
        if made + window - 1 > size:
            place = "fractional_max_pool3d_out" if count == 3 else name
            raise RuntimeError(f"{place}(): pool {what} {window} too large relative to input {what} {size}")
    require_floats("check_uniform_bounds", array)
    batch, channels = (1, *array.shape)[-count - 2 : -count]
    if samples is None:
        samples = wrap(random.uniform((batch, channels, count), array.dtype))
    check_samples(samples, input, batch, channels, count)
    return fractional_maximum(input, kernel, output, samples)


def check_samples(samples: Tensor, input: Tensor, batch: int, channels: int, count: int) -> None:
    if samples.dtype is not input.dtype:
        words = "Expect _random_samples to have the same dtype as input"
        raise explained(RuntimeError, words, fix=one_dtype(samples.dtype, input.dtype))
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    if samples.shape[0] < batch:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    for dim, wanted in ((1, channels), (2, count)):
        if samples.shape[dim] != wanted:
            raise RuntimeError(f"Expect _random_samples.size({dim}) equals to {wanted}; got {samples.shape[dim]}.")


def sizes_of(name: str, option: str, value: Any, count: int) -> tuple[int, ...]:
    found = tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
    if len(found) != count:
        raise RuntimeError(f"{name}: {option} must either be a single Int or tuple of Ints, {count} of them")
    return found


def declare(count: int, example: str, example_with_indices: str) -> None:
    """`nn.functional.fractional_max_pool{count}d`."""

    def function(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        found = pooled(input, count, kernel_size, output_size, output_ratio, _random_samples)
        return (found[0], found[1]) if return_indices else found[0]

    def with_indices(
        input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
    ):
        return tuple(pooled(input, count, kernel_size, output_size, output_ratio, _random_samples))

    def planes(make):
        shape = (8, 9, 7)[:count]
        x, samples = make.distinct(2, 3, *shape), make.floats(2, 3, count, low=0, high=1)
        return [
            case(x, 2, output_size=3, _random_samples=samples),
            case(x, (2, 3, 2)[:count], None, (0.5,) * count, True, _random_samples=samples),
            case(x[0], 2, output_size=(4, 5, 3)[:count], _random_samples=samples),
            case(x.astype("float64"), 3, output_size=1, _random_samples=samples.astype("float64")),
            case(x, 2),
            case(x, 2, output_size=9),
            case(x, 2, output_ratio=(1.5,) * count),
            case(make.ints(2, 3, *shape), 2, output_size=3),
            case(x, 2, output_size=3, _random_samples=samples[..., :1]),
        ]

    function.__name__ = f"fractional_max_pool{count}d"
    sentence = "The maxima of windows at random places, `output_size` or `output_ratio` of them along each dimension."
    function.__doc__ = f"{sentence}\n{example}"
    with_indices.__name__ = function.__name__ + "_with_indices"
    with_indices.__doc__ = f"`{function.__name__}` with `return_indices=True`.\n{example_with_indices}"
    for each in (function, with_indices):
        composed(name=f"nn.functional.{each.__name__}", samples=cases(planes))(each)


declare(
    2,
    """
    >>> x = torch.arange(25.0).reshape(1, 5, 5)
    >>> F.fractional_max_pool2d(x, 2, output_size=3)  # windows of 2 x 2, drawn anew at each call
    tensor([[[ 6.,  8.,  9.],
             [11., 13., 14.],
             [21., 23., 24.]]])
    """,
    """
    >>> x = torch.arange(25.0).reshape(1, 5, 5)
    >>> values, places = F.fractional_max_pool2d_with_indices(x, 2, output_size=3)
    >>> torch.equal(x.flatten()[places], values)
    True
    """,
)
declare(
    3,
    """
    >>> F.fractional_max_pool3d(torch.rand(1, 10, 10, 10), 2, output_ratio=0.7).shape
    torch.Size([1, 7, 7, 7])
    """,
    """
    >>> x = torch.rand(1, 5, 5, 5)
    >>> values, places = F.fractional_max_pool3d_with_indices(x, 2, output_size=2)
    >>> torch.equal(x.flatten()[places], values)
    True
    """,
)
