"""Norm pooling: the p-norm of each window."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.ops.images.pooling.windows import ints
from rushlight.ops.machine.bind import namespace
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import case, cases


def declare(count: int, example: str) -> None:
    """`nn.functional.lp_pool{count}d`."""

    def function(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        return norms(input, count, norm_type, kernel_size, stride, ceil_mode)

    def windows(make):
        x = make.floats(2, 3, *(8, 7, 6)[:count], low=0.1)
        return [
            case(x, 2, 2),
            case(x, 3.0, 2, 1),
            case(x, 1, 3, ceil_mode=True),
            case(make.floats(3, *(8, 7, 6)[:count], low=0.1, dtype="float64"), 2, 3),
            case(x, 2, 20),
            case(x, math.inf, 2),
            case(x, -math.inf, 2),
        ]

    function.__name__ = f"lp_pool{count}d"
    function.__doc__ = f"""The p-norm of each window of the last {count} dimensions, with p = `norm_type`.

    Elements enter with their sign where p is odd; windows with a negative sum give zero.
{example}"""
    composed(name=f"nn.functional.lp_pool{count}d", samples=cases(windows))(function)


def norms(input: Tensor, count: int, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool) -> Tensor:
    if input.ndim == count + 2 and input.shape[0] == 0 and count == 3:
        raise RuntimeError(f"lp_pool{count}d: Expected a batch of at least one example")
    size = 1
    for each in ints(f"lp_pool{count}d", "kernel_size", kernel_size, count):
        size *= each
    if math.isinf(norm_type):
        # the largest of a window, or the smallest as the largest of the negative numbers
        sizes = input.abs() if norm_type > 0 else -input.abs()
        found = namespace("nn.functional")[f"max_pool{count}d"](sizes, kernel_size, stride, 0, 1, ceil_mode)
        return found if norm_type > 0 else -found
    if norm_type == 0:
        raise ZeroDivisionError("float division by zero")
    found = namespace("nn.functional")[f"avg_pool{count}d"](input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (found.sign() * found.abs().relu()).mul(size).pow(1.0 / norm_type)


declare(
    1,
    """
    >>> F.lp_pool1d(torch.tensor([[3.0, 4.0, 1.0, 1.0]]), 2, 2)
    tensor([[5.0000, 1.4142]])
    """,
)
declare(
    2,
    """
    >>> F.lp_pool2d(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 1, 2)  # p = 1: the sum
    tensor([[[10.]]])
    """,
)
declare(
    3,
    """
    >>> F.lp_pool3d(torch.ones(1, 2, 2, 2), 2, 2)
    tensor([[[[2.8284]]]])
    """,
)
