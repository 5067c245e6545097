"""Maximum pooling: the largest element of each window, and where it stands."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from rushlight.core.numbers.dtypes import HALF
from rushlight.core.object.tensor import Tensor
from rushlight.ops.images.pooling.planes import gather_planes, scatter_planes
from rushlight.ops.images.pooling.windows import Pooling, as_planes
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.formats import laid_out
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.level import is_followed
from rushlight.ops.machine.transforms.words import PLAIN

NODES = {1: None, 2: "MaxPool2DWithIndicesBackward0", 3: "MaxPool3DWithIndicesBackward0"}


@op(
    dtype=MATCH,
    batch=PLAIN,
    operands=["input"],
    name="_max_pool",
    node=lambda kernel: NODES[len(kernel)],
    returns=("values", "indices"),
    samples=None,
    fused=True,
)
def max_pool(input, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple, output: tuple):
    """The maxima of windows over the last dimensions, and their places, counted within those dimensions."""
    if not is_straight(input):
        found = straightened(max_pool, input, kernel, stride, padding, dilation, output)
        return found if len(kernel) == 1 else tuple([laid_out(each, input) for each in found])
    sizes = input.shape[input.ndim - len(kernel) :]
    shape = (*input.shape[: input.ndim - len(kernel)], *output)
    lowest = -np.inf if input.dtype.kind == "f" else np.iinfo(input.dtype).min
    values = np.full(shape, lowest, input.dtype)
    indices = np.empty(shape, np.int64)
    indices[...] = first_places(sizes, stride, padding, dilation, output)
    places = np.arange(np.prod(sizes)).reshape(sizes)
    for offsets in itertools.product(*map(inside, sizes, kernel, stride, padding, dilation, output)):
        there, here = window_slices(sizes, offsets, stride, padding, dilation, output)
        candidate, best = input[(..., *there)], values[(..., *here)]
        better = candidate > best
        if input.dtype.kind == "f":
            better |= candidate != candidate
        np.copyto(best, candidate, where=better)
        np.copyto(indices[(..., *here)], places[there], where=better)
    if len(kernel) == 1:
        return values, indices
    return laid_out(values, input), laid_out(indices, input)


max_pool.gradient(
    input=lambda grad, indices, input, kernel: scatter_planes(grad, indices, input._array.shape[-len(kernel) :])
)


def inside(size: int, kernel: int, stride: int, padding: int, dilation: int, output: int) -> range:
    """Those elements of a kernel along one dimension that any of its windows has in the input."""
    first = -((-padding + (output - 1) * stride) // dilation)
    return range(max(first, 0), min((padding + size - 1) // dilation + 1, kernel))


def window_slices(sizes, offsets, stride, padding, dilation, output) -> tuple[tuple, tuple]:
    """Where one element of each window lies in the input, and which of the windows have it."""
    there, here = [], []
    for size, offset, step, pad, spread, count in zip(sizes, offsets, stride, padding, dilation, output, strict=True):
        start = offset * spread - pad
        first = max(0, -(start // step)) if start < 0 else 0
        last = max(first, min(count, (size - 1 - start) // step + 1))
        here.append(slice(first, last))
        begin = start + first * step
        there.append(slice(begin, begin + (last - first) * step, step) if last > first else slice(0, 0))
    return tuple(there), tuple(here)


def first_places(sizes, stride, padding, dilation, output) -> np.ndarray:
    """The place of each window's first element: that of the maximum where all are minus infinity."""
    found = np.zeros(output, np.int64)
    for dim, size in enumerate(sizes):
        starts = np.arange(output[dim]) * stride[dim] - padding[dim]
        starts = np.where(starts < 0, starts % dilation[dim], starts)
        found = found * size + np.minimum(starts, size - 1).reshape(-1, *[1] * (len(sizes) - dim - 1))
    return found


def pooled(input: Tensor, pooling: Pooling) -> tuple[Tensor, Tensor]:
    """The maxima and their places."""
    output = pooling.outputs(input._array.shape)
    kind = input._array.dtype
    if kind.kind not in "fiu" and kind not in HALF:
        raise refuse(f"max_pool{pooling.count}d", input._array)
    found = max_pool(input, pooling.kernel, pooling.stride, pooling.padding, pooling.dilation, output)
    return found[0], found[1]


def pooled_rows(input: Tensor, pooling: Pooling) -> tuple[Tensor, Tensor]:
    """The maxima of rows and their places, as those of planes with one row."""
    planes = as_planes("max_pool1d", input)
    values, indices = pooled(planes, Pooling("max_pool2d", 2, *pooling.of_planes(), pooling.ceil))
    return values.squeeze(-2), indices.squeeze(-2)


def maxima_of_rows(input: Tensor, pooling: Pooling) -> Tensor:
    """The maxima of rows alone: torch has a function of its own for them, without a gradient and without integers."""
    output = pooling.outputs(input._array.shape)
    if is_followed(input):
        return pooled_rows(input, pooling)[0]
    if input._array.dtype.kind != "f" and input._array.dtype not in HALF:
        raise refuse("max_pool1d_impl", input._array)
    return max_pool(input, pooling.kernel, pooling.stride, pooling.padding, pooling.dilation, output)[0]


def windows(count: int):
    """Samples of a pooling over `count` dimensions."""

    def make(make):
        shape = (9, 7, 6)[:count]
        x = make.distinct(2, 3, *shape)
        return [
            case(x, 2),
            case(x, 3, 2),
            case(x, 3, stride=1, padding=1),
            case(x, (3,) * count, 2, 1, ceil_mode=True),
            case(make.distinct(3, *shape), 2),
            case(make.distinct(*shape, 3, 2).T, 2),
            case(make.floats(2, 3, *shape, dtype="float64"), 2),
            # torch averages no volumes of half precision
            *([case(make.floats(2, 3, *shape, dtype="float16"), 2)] if count < 3 else []),
            case(make.floats(0, 3, *shape), 2),
            case(make.ints(2, 3, *shape), 2),
            case(make.floats(2, 0, *shape), 2),
            case(make.floats(shape[0]), 2),
            case(x, 2, 0),
            case(x, 0),
            case(x, 2, padding=2),
            case(x, 2, padding=-1),
            case(x, 20),
            case(x, (2,) * (count + 1)),
            case(x, 2.5),
        ]

    return make


def declare(count: int, example: str, example_with_indices: str) -> None:
    """`nn.functional.max_pool{count}d` and its like with indices."""
    name = f"max_pool{count}d"

    def function(
        input,
        kernel_size,
        stride=None,
        padding: int | tuple = 0,
        dilation: int | tuple = 1,
        ceil_mode=False,
        return_indices=False,
    ):
        if return_indices:
            return with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
        pooling = Pooling(name, count, kernel_size, stride, padding, dilation, ceil_mode)
        return maxima_of_rows(input, pooling) if count == 1 else pooled(input, pooling)[0]

    def with_indices(
        input,
        kernel_size,
        stride=None,
        padding: int | tuple = 0,
        dilation: int | tuple = 1,
        ceil_mode=False,
        return_indices=False,
    ):
        used = "max_pool1d_with_indices" if count == 1 else name
        pooling = Pooling(used, count, kernel_size, stride, padding, dilation, ceil_mode)
        return pooled_rows(input, pooling) if count == 1 else pooled(input, pooling)

    function.__name__ = name
    function.__doc__ = f"""The largest element of each window of the last {count} dimensions.

    `stride` is that of the windows, their size if not given; `padding` counts as minus infinity; `return_indices`
    also gives where each maximum stands within its {" row plane volume".split()[count - 1]}.
{example}"""
    with_indices.__name__ = name + "_with_indices"
    with_indices.__doc__ = f"`{name}` with `return_indices=True`.\n{example_with_indices}"
    more = lambda make: [
        *windows(count)(make),
        case(make.distinct(2, 3, *(9, 7, 6)[:count]), 2, 1, 0, 2, return_indices=True),
        case(make.distinct(2, 3, *(9, 7, 6)[:count]), 2, dilation=0),
    ]
    composed(name=f"nn.functional.{name}", samples=cases(more))(function)
    composed(name=f"nn.functional.{name}_with_indices", samples=cases(windows(count)))(with_indices)
    functions = NAMESPACES["nn.functional"]
    NAMESPACES[""][name] = functions[name]
    if count == 1:
        NAMESPACES[""][name + "_with_indices"] = functions[name + "_with_indices"]


declare(
    1,
    """
    >>> F.max_pool1d(torch.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
    tensor([[5., 3.]])
    >>> F.max_pool1d(torch.tensor([[1.0, 5.0, 2.0, 3.0]]), 2, stride=1)
    tensor([[5., 5., 3.]])
    """,
    """
    >>> F.max_pool1d_with_indices(torch.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
    (tensor([[5., 3.]]), tensor([[1, 3]]))
    """,
)
declare(
    2,
    """
    >>> image = torch.arange(16.0).reshape(1, 4, 4)
    >>> F.max_pool2d(image, 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """,
    """
    >>> values, places = F.max_pool2d_with_indices(torch.tensor([[[1.0, 5.0], [2.0, 3.0]]]), 2)
    >>> places  # counted through the plane
    tensor([[[1]]])
    """,
)
declare(
    3,
    """
    >>> F.max_pool3d(torch.arange(27.0).reshape(1, 3, 3, 3), 2, stride=1).flatten()
    tensor([13., 14., 16., 17., 22., 23., 25., 26.])
    """,
    """
    >>> values, places = F.max_pool3d_with_indices(torch.arange(8.0).reshape(1, 2, 2, 2), 2)
    >>> places.item()  # the last place of the volume
    7
    """,
)


@op(
    dtype=MATCH,
    operands=["grad_output"],
    name="_max_pool2d_with_indices_backward",
    node="MaxPool2DWithIndicesBackwardBackward0",
    samples=None,
)
def backward(
    grad_output,
    input,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    indices: Tensor,
):
    """The gradient of what `max_pool2d` was given: that of its result, at the places of the maxima."""
    return scatter_planes.op.body(grad_output, indices, input.shape[-2:])


backward.gradient(
    grad_output=lambda grad, indices: gather_planes(grad, indices, 2),
    # flat in the input itself: its shape alone counts
    input=lambda grad, input_shape: grad.new_zeros(input_shape),
)
NAMESPACES[""]["max_pool2d_with_indices_backward"] = backward
