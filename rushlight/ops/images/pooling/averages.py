"""Average pooling: the mean of each window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.ops.images.pooling.maxima import windows
from rushlight.ops.images.pooling.windows import Pooling, as_planes, average_taps
from rushlight.ops.images.taps import summed
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.formats import laid_out
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.layouts import KEPT
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.words import FOLDED, SHAPED


def divisors(taps: list, include_pad: bool, divisor: int | None, kind: np.dtype) -> Any:
    """What the sum of each window is divided by."""
    if divisor is not None:
        return divisor
    found = np.ones((), kind)
    for _, inside, padded in taps:
        found = found[..., None] * (padded if include_pad else inside).astype(kind)
    # a window in the padding alone has the sum zero
    return np.maximum(found, 1)


def divided(array: np.ndarray, divisor: Any) -> np.ndarray:
    """Integers are rounded towards zero, as in C."""
    if array.dtype.kind == "f":
        return array / divisor
    return (np.sign(array) * np.sign(divisor) * (np.abs(array) // np.abs(divisor))).astype(array.dtype)


def read(array: np.ndarray, count: int, kernel: Any, stride: Any, padding: Any, ceil: bool) -> tuple[Pooling, tuple]:
    """The windows that were asked for and their number, if there are such."""
    pooling = Pooling(f"avg_pool{count}d", count, kernel, stride, padding, 1, ceil)
    if count == 2 and array.ndim < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-array.ndim}, {array.ndim - 1}], but got -3)"
        )
    output = pooling.outputs(array.shape)
    if array.dtype.kind != "f" and array.dtype != np.int64:
        raise refuse(f"avg_pool{count}d", array)
    return pooling, output


def averages(
    input: np.ndarray, count: int, kernel: Any, stride: Any, padding: Any, ceil: bool, include_pad: bool, divisor: Any
) -> np.ndarray:
    """The averages of windows over the last dimensions."""
    if divisor is not None and divisor == 0:
        raise RuntimeError("divisor must be not zero")
    pooling, output = read(input, count, kernel, stride, padding, ceil)
    if not is_straight(input):
        found = straightened(FUNCTIONS[count], input, kernel, stride, padding, ceil, include_pad, divisor)
        return found if count == 3 else laid_out(found, input)
    taps = all_taps(input.shape, pooling, output)
    found = summed(input, tuple([each[0] for each in taps]))
    found = divided(found, divisors(taps, include_pad, divisor, input.dtype))
    return np.ascontiguousarray(found) if count == 3 else laid_out(found, input)


def all_taps(shape: tuple, pooling: Pooling, output: tuple) -> list:
    sizes = shape[len(shape) - pooling.count :]
    return list(map(average_taps, sizes, output, pooling.kernel, pooling.stride, pooling.padding))


@op(
    dtype=MATCH,
    batch=SHAPED,
    linear=True,
    name="_avg_pool_gradient",
    node=lambda count: f"AvgPool{count}DBackwardBackward0",
    samples=None,
)
def average_gradient(
    grad, shape: tuple, count: int, kernel: Any, stride: Any, padding: Any, ceil: bool, include_pad: bool, divisor: Any
):
    """A gradient of averages, shared out among the inputs of each window."""
    if not is_straight(grad):
        options = (count, kernel, stride, padding, ceil, include_pad, divisor)
        return laid_out(straightened(average_gradient, grad, shape, *options), grad)
    pooling = Pooling(f"avg_pool{count}d", count, kernel, stride, padding, 1, ceil)
    taps = all_taps(shape, pooling, grad.shape[grad.ndim - count :])
    shared = grad / divisors(taps, include_pad, divisor, grad.dtype)
    return laid_out(summed(shared, tuple([each[0].adjoint for each in taps])), grad)


average_gradient.gradient(
    grad=lambda grad, count, kernel, stride, padding, ceil, include_pad, divisor: FUNCTIONS[count](
        grad, kernel, stride, padding, ceil, include_pad, divisor
    )
)
# the public functions, by the number of dimensions
FUNCTIONS: dict[int, Callable] = {}


@composed(name="nn.functional.avg_pool1d", samples=cases(windows(1)))
def avg_pool1d(input, kernel_size, stride=None, padding: int | tuple = 0, ceil_mode=False, count_include_pad=True):
    """The mean of each window of the last dimension; padding counts as zeros, or not with `count_include_pad=False`.

    >>> F.avg_pool1d(torch.tensor([[1.0, 3.0, 5.0, 7.0]]), 2)
    tensor([[2., 6.]])
    """
    pooling = Pooling("avg_pool1d", 1, kernel_size, stride, padding)
    kernel, stride, padding, _ = pooling.of_planes()
    planes = as_planes("avg_pool1d", input)
    return FUNCTIONS[2](planes, kernel, stride, padding, ceil_mode, count_include_pad).squeeze(-2)


NAMESPACES[""]["avg_pool1d"] = avg_pool1d


def declare(count: int, example: str) -> None:
    """`nn.functional.avg_pool2d` and `avg_pool3d`."""

    def body(
        input,
        kernel_size: Any,
        stride=None,
        padding: int | tuple = 0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
        *,
        out=None,
    ):
        return averages(input, count, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    body.__name__ = f"avg_pool{count}d"
    body.__doc__ = f"""The mean of each window of the last {count} dimensions.

    Padding counts as zeros, or not at all with `count_include_pad=False`; `divisor_override` is what the sum of a
    window is divided by instead of its size.
{example}"""
    more = lambda make: [
        *windows(count)(make),
        case(make.floats(2, 3, *(9, 7, 6)[:count]), 3, 2, 1, True, False),
        case(make.floats(2, 3, *(9, 7, 6)[:count]), 3, divisor_override=2),
        case(make.floats(2, 3, *(9, 7, 6)[:count]), 3, divisor_override=0),
    ]
    name = f"nn.functional.avg_pool{count}d"
    node = f"AvgPool{count}DBackward0"
    function = op(
        dtype=MATCH, batch=FOLDED, linear=True, layout=KEPT, name=name, node=node, samples=cases(more), fused=True
    )(body)
    function.gradient(
        input=lambda grad, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
            average_gradient(
                grad,
                input._array.shape,
                count,
                kernel_size,
                stride,
                padding,
                ceil_mode,
                count_include_pad,
                divisor_override,
            )
        )
    )
    FUNCTIONS[count] = function


declare(
    2,
    """
    >>> image = torch.arange(16.0).reshape(1, 4, 4)
    >>> F.avg_pool2d(image, 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """,
)
declare(
    3,
    """
    >>> F.avg_pool3d(torch.ones(1, 4, 8, 8), (2, 4, 4), padding=(0, 1, 1)).shape
    torch.Size([1, 2, 2, 2])
    """,
)
