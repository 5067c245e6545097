"""Adaptive pooling: as many windows as are asked for, spread evenly over the input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.memory.capacity import require_room
from rushlight.core.object.tensor import Tensor
from rushlight.ops.images.pooling.planes import scatter_planes
from rushlight.ops.images.pooling.windows import adaptive_taps, as_planes
from rushlight.ops.images.taps import Taps, summed
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.formats import laid_out
from rushlight.ops.machine.kinds import require_floats
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.words import PLAIN, SHAPED
from rushlight.ops.reductions.reductions import require_inexact


def all_taps(shape: tuple, output: tuple) -> list[Taps]:
    return list(map(adaptive_taps, shape[len(shape) - len(output) :], output))


def sizes_of(taps: list[Taps], kind: np.dtype) -> np.ndarray:
    """How many elements each window has."""
    found = np.ones((), kind)
    for each in taps:
        found = found[..., None] * each.counts.astype(kind)
    return found


def average_node(output: tuple) -> str:
    return f"AdaptiveAvgPool{len(output)}DBackward0"


@op(dtype=MATCH, batch=PLAIN, linear=True, name="_adaptive_avg_pool", node=average_node, samples=None, fused=True)
def adaptive_average(input, output: tuple):
    """The averages of windows that cover the last dimensions evenly."""
    if not is_straight(input):
        found = straightened(adaptive_average, input, output)
        return found if len(output) == 3 else laid_out(found, input)
    taps = all_taps(input.shape, output)
    found = summed(input, tuple(taps)) / sizes_of(taps, input.dtype)
    return found if len(output) == 3 else laid_out(found, input)


adaptive_average.gradient(
    input=lambda grad, input, output: adaptive_average_gradient(some("avg", grad, output), input._array.shape, output)
)


@op(dtype=MATCH, batch=PLAIN, linear=True, name="_adaptive_mean", node="MeanBackward1", samples=None, fused=True)
def adaptive_mean(input, output: tuple):
    """The averages of all of the last dimensions; torch saves nothing for their gradient."""
    return adaptive_average.op.body(input, output)


adaptive_mean.gradient(
    input=lambda grad, input_shape, output: adaptive_average_gradient(grad, tuple(input_shape), output)
)


def some(function: str, grad: Tensor, output: tuple) -> Tensor:
    """The gradient of a result, which torch refuses where that is empty."""
    refuse_empty(f"adaptive_{function}_pool{len(output)}d_backward", grad.shape, 1, "grad_output")
    return grad


@op(dtype=MATCH, batch=SHAPED, linear=True, name="_adaptive_avg_pool_gradient", samples=None)
def adaptive_average_gradient(grad, shape: tuple, output: tuple):
    """A gradient of averages, shared out among the inputs of each window."""
    if not is_straight(grad):
        return laid_out(straightened(adaptive_average_gradient, grad, shape, output), grad)
    taps = all_taps(shape, output)
    shared = grad / sizes_of(taps, grad.dtype)
    return laid_out(summed(shared, tuple([each.adjoint for each in taps])), grad)


adaptive_average_gradient.gradient(grad=lambda grad, output: adaptive_average(grad, output))


@op(
    dtype=MATCH,
    batch=PLAIN,
    operands=["input"],
    name="_adaptive_max_pool",
    node=lambda output: f"AdaptiveMaxPool{len(output)}DBackward0",
    returns=("values", "indices"),
    samples=None,
    fused=True,
)
def adaptive_maximum(input, output: tuple):
    """The maxima of windows that cover the last dimensions evenly, and their places, counted within those."""
    if 0 in output:
        empty = (*input.shape[: input.ndim - len(output)], *output)
        return np.empty(empty, input.dtype), np.empty(empty, np.int64)
    if not is_straight(input):
        values, indices = straightened(adaptive_maximum, input, output)
    else:
        values, indices = best_of_each(input, all_taps(input.shape, output))
    if len(output) == 3:  # volumes are contiguous
        return np.ascontiguousarray(values), np.ascontiguousarray(indices)
    return laid_out(values, input), laid_out(indices, input)


adaptive_maximum.gradient(
    input=lambda grad, indices, input, output: scatter_planes(
        some("max", grad, output), indices, input._array.shape[-len(output) :]
    )
)


def best_of_each(input: np.ndarray, taps: list[Taps]) -> tuple[np.ndarray, np.ndarray]:
    """The largest element of each window and its place, found along one dimension after the other, the last first.

    A window of volumes then costs the sum of its lengths, not their product.
    """
    if all(len(each.counts) == 1 for each in taps):
        flat = input.reshape(*input.shape[: input.ndim - len(taps)], math.prod(each.size for each in taps))
        values, indices = best_along(flat, flat.ndim - 1, adaptive_taps(flat.shape[-1], 1))
        shape = (*flat.shape[:-1], *[1] * len(taps))
        return values.reshape(shape), indices.reshape(shape)
    values, indices, size = input, None, 1
    for dim, each in zip(range(input.ndim - 1, -1, -1), reversed(taps), strict=False):
        values, places = best_along(values, dim, each)
        # places along later dimensions were found for each place along this one
        indices = places * size if indices is None else places * size + np.take_along_axis(indices, places, dim)
        size *= each.size
    return values, indices


def best_along(input: np.ndarray, dim: int, taps: Taps) -> tuple[np.ndarray, np.ndarray]:
    """The largest elements of windows along one dimension, and their places; the first of equals, the last NaN."""
    lines = np.moveaxis(input, dim, -1)
    places = np.empty((*lines.shape[:-1], len(taps.counts)), np.int64)
    for window, (start, count) in enumerate(zip(taps.places[:, 0].tolist(), taps.counts.tolist(), strict=True)):
        part = lines[..., start : start + count]
        part.argmax(-1, places[..., window])
        places[..., window] += start
    values = np.take_along_axis(lines, places, -1)
    if (values != values).any():
        for window, (start, count) in enumerate(zip(taps.places[:, 0].tolist(), taps.counts.tolist(), strict=True)):
            part = lines[..., start : start + count]
            last = start + count - 1 - (part != part)[..., ::-1].argmax(-1)
            there = values[..., window] != values[..., window]
            places[..., window] = np.where(there, last, places[..., window])
        values = np.take_along_axis(lines, places, -1)
    return np.moveaxis(values, -1, dim), np.moveaxis(places, -1, dim)


def best(input: np.ndarray, dims: int, positions) -> tuple[np.ndarray, np.ndarray]:
    """The largest of the elements at the positions within planes, and its place; the first of equals, the last NaN."""
    lead = input.shape[: input.ndim - dims]
    planes = input.reshape(*lead, math.prod(input.shape[input.ndim - dims :]))
    values = indices = None
    for place, there in positions:
        if place.ndim == dims:  # the same for all planes
            candidate = planes.take(place, -1)  # in rows, unlike planes[..., place]
        else:
            each = place.reshape(*lead, math.prod(place.shape[len(lead) :]))
            candidate = np.take_along_axis(planes, each, -1).reshape(place.shape)
        if values is None:
            values, indices = candidate, np.empty(candidate.shape, np.int64)
            indices[...] = place
            continue
        better = ((candidate > values) | (candidate != candidate)) & there
        np.copyto(values, candidate, where=better)
        np.copyto(indices, place, where=better)
    return values, indices


def read(function: str, array: np.ndarray, count: int, output: Any) -> tuple[int, ...]:
    """The sizes that were asked for: one for all dimensions, or one for each; None leaves a dimension as it is."""
    name, shape = f"adaptive_{function}_pool{count}d", array.shape
    if isinstance(output, (tuple, list)) and len(shape) <= len(output):
        raise ValueError(f"Input dimension should be at least {len(output) + 1}, but got the shape {list(shape)}")
    if not isinstance(output, (tuple, list)):
        output = (output,) * count
    if len(output) != count:
        raise RuntimeError(f"{name}: output_size must be {count}, but it has {len(output)} elements: {tuple(output)}")
    if len(shape) not in (count + 1, count + 2):
        raise RuntimeError(f"{name}(): Expected {count + 1}D or {count + 2}D tensor, but got: {list(shape)}")
    sizes = shape[-count:]
    found = tuple([size if each is None else each for each, size in zip(output, sizes, strict=True)])
    if any(not hasattr(each, "__index__") for each in found):
        raise TypeError(f"{name}(): argument 'output_size' must be integers, not {output}")
    if min(found) < 0:
        raise RuntimeError(negative(name, (*shape[:-count], *found), count))
    refuse_empty(name, shape, len(shape) - count - (function == "max"))
    if function == "avg" and set(found) == {1}:
        # torch takes the mean of all then
        require_inexact(array, "mean(): could not infer output dtype. Input dtype must be either a floating point")
    require_floats(name, array)
    require_room((*shape[:-count], *found), array.itemsize)
    return found


def negative(name: str, shape: tuple, count: int) -> str:
    """The words for sizes below zero, in the result's shape."""
    if name.startswith("adaptive_max"):
        first = next(each for each in shape if each < 0)
        return f"Trying to create tensor with negative dimension {first}: {list(shape)}"
    *others, last = shape[-count:]
    sizes = f"{', '.join(map(str, others))},{' ' * (count == 2)}{last}"
    return f"{name}: elements of output_size must be greater than or equal to 0 but received {{{sizes}}}"


def refuse_empty(name: str, shape: tuple, first: int, what: str = "input") -> None:
    for dim in range(first, len(shape)):
        if shape[dim] == 0:
            raise RuntimeError(
                f"{name}(): Expected {what} to have non-zero size for non-batch dimensions, but {what} has sizes "
                f"{list(shape)} with dimension {dim} being empty"
            )


def row_size(function: str, output: Any) -> tuple[int, int]:
    """The size that was asked for of rows, as that of planes of one row."""
    if isinstance(output, (tuple, list)) and len(output) != 1:
        raise RuntimeError(f"{function}() argument 'output_size' should contain one int (got {len(output)})")
    if not isinstance(output, (int, tuple, list)) or isinstance(output, bool):
        raise TypeError(
            f"{function}(): argument 'output_size' (position 2) must be tuple of ints, not {type(output).__name__}"
        )
    size = output[0] if isinstance(output, (tuple, list)) else output
    if isinstance(size, bool) or not hasattr(size, "__index__"):
        raise TypeError(
            f"{function}(): argument 'output_size' (position 2) must be tuple of ints, but found element of type "
            f"{type(size).__name__} at pos 0"
        )
    return 1, size


def evenly(count: int):
    """Samples of an adaptive pooling over `count` dimensions."""

    def make(make):
        shape = (9, 7, 6)[:count]
        x = make.distinct(2, 3, *shape)
        return [
            case(x, 4),
            case(x, 1),
            case(x, (5, 7, 2)[:count]),
            case(make.distinct(3, *shape), 3),
            case(make.floats(2, 3, *shape, dtype="float64"), 12),
            case(make.floats(2, 3, *shape, dtype="float16"), 2),
            case(make.floats(0, 3, *shape), 2),
            case(make.distinct(*shape, 3, 2).T, 2),
            corner(x, 0),
            case(make.ints(2, 3, *shape), 2),
            case(make.floats(2, 3, *[0] * count), 2),
            case(make.floats(3), 2),
            case(x, -1),
            case(x, (2,) * (count + 1)),
        ]

    return make


def averaged(input: Tensor, output: tuple) -> Tensor:
    """The averages, by the op that torch has for them."""
    return adaptive_mean(input, output) if set(output) == {1} else adaptive_average(input, output)


def declare(count: int, *examples: str) -> None:
    """The adaptive functions over `count` dimensions: averages, maxima, and maxima with their places."""

    def average(input, output_size):
        if count == 1:
            planes, sizes = as_planes("adaptive_avg_pool1d", input), row_size("adaptive_avg_pool1d", output_size)
            return averaged(planes, read("avg", planes._array, 2, sizes)).squeeze(-2)
        return averaged(input, read("avg", input._array, count, output_size))

    def maximum(input, output_size, return_indices=False):
        found = with_indices(input, output_size)
        return found if return_indices else found[0]

    def with_indices(input, output_size, return_indices=False):
        if count == 1:
            planes, sizes = as_planes("adaptive_max_pool1d", input), row_size("adaptive_max_pool1d", output_size)
            refuse_empty("adaptive_max_pool1d", input.shape, input.ndim - 2)
            found = adaptive_maximum(planes, read("max", planes._array, 2, sizes))
            return found[0].squeeze(-2), found[1].squeeze(-2)
        return tuple(adaptive_maximum(input, read("max", input._array, count, output_size)))

    over = f"windows that cover the last {count} dimensions evenly; None leaves a dimension as it is."
    average.__name__, average.__doc__ = f"adaptive_avg_pool{count}d", f"The means of `output_size` {over}"
    maximum.__name__, maximum.__doc__ = f"adaptive_max_pool{count}d", f"The maxima of `output_size` {over}"
    with_indices.__name__ = f"adaptive_max_pool{count}d_with_indices"
    with_indices.__doc__ = f"`adaptive_max_pool{count}d` with `return_indices=True`."
    for function, example in zip((average, maximum, with_indices), examples, strict=True):
        function.__doc__ = f"{function.__doc__}\n{example}"
        composed(name=f"nn.functional.{function.__name__}", samples=cases(evenly(count)))(function)


declare(
    1,
    """
    >>> F.adaptive_avg_pool1d(torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]), 2)  # windows may overlap
    tensor([[2., 4.]])
    """,
    """
    >>> F.adaptive_max_pool1d(torch.tensor([[1.0, 5.0, 2.0, 3.0, 4.0]]), 2)
    tensor([[5., 4.]])
    """,
    """
    >>> F.adaptive_max_pool1d_with_indices(torch.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
    (tensor([[5., 3.]]), tensor([[1, 3]]))
    """,
)
declare(
    2,
    """
    >>> features = torch.arange(32.0).reshape(1, 2, 4, 4)
    >>> F.adaptive_avg_pool2d(features, 1).flatten(1)  # a mean for each channel, whatever the size of images
    tensor([[ 7.5000, 23.5000]])
    """,
    """
    >>> F.adaptive_max_pool2d(torch.arange(20.0).reshape(1, 4, 5), (2, 1))
    tensor([[[ 9.],
             [19.]]])
    """,
    """
    >>> values, places = F.adaptive_max_pool2d_with_indices(torch.tensor([[[1.0, 5.0], [2.0, 3.0]]]), (2, 1))
    >>> places
    tensor([[[1],
             [3]]])
    """,
)
declare(
    3,
    """
    >>> F.adaptive_avg_pool3d(torch.zeros(1, 3, 8, 9, 10), (None, 4, 4)).shape
    torch.Size([1, 3, 8, 4, 4])
    """,
    """
    >>> F.adaptive_max_pool3d(torch.arange(24.0).reshape(1, 2, 3, 4), 1).item()
    23.0
    """,
    """
    >>> values, places = F.adaptive_max_pool3d_with_indices(torch.eye(3).reshape(1, 1, 3, 3), (1, 1, 3))
    >>> places
    tensor([[[[0, 4, 8]]]])
    """,
)
NAMESPACES[""]["adaptive_avg_pool1d"] = NAMESPACES["nn.functional"]["adaptive_avg_pool1d"]


def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """The maxima of windows that cover the last dimension evenly, and their places.

    >>> torch.adaptive_max_pool1d(torch.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
    (tensor([[5., 3.]]), tensor([[1, 3]]))
    """
    return NAMESPACES["nn.functional"]["adaptive_max_pool1d_with_indices"](input, output_size)


NAMESPACES[""]["adaptive_max_pool1d"] = adaptive_max_pool1d
