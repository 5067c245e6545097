"""Fills: what stands in for the elements that a mask leaves out, so that they change nothing."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.numbers import dtypes
from rushlight.core.object.conversion import require_tensor
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.dims import axes
from rushlight.ops.pointwise.where import where


def lowest(name: str, input: Tensor) -> float:
    """What no element is below."""
    if input.dtype.is_floating_point:
        return -math.inf
    return limits(name, input).min


def highest(name: str, input: Tensor) -> float:
    """What no element is above."""
    if input.dtype.is_floating_point:
        return math.inf
    return limits(name, input).max


def limits(name: str, input: Tensor) -> Any:
    if input.dtype is dtypes.bool_:
        raise NotImplementedError(
            f"identity of {name} on {input.dtype} input: convert it first, for example with .int()"
        )
    return dtypes.iinfo(input.dtype)


def filled(input: Tensor, mask: Tensor | None, value: Any) -> Tensor:
    """The input with `value` where the mask does not hold."""
    return input if mask is None else where(fitting(input, mask), input, value)


def fitting(input: Tensor, mask: Tensor) -> Tensor:
    """The mask as bools in the shape of the input."""
    if not isinstance(mask, Tensor):
        raise TypeError(f"argument 'mask' must be Tensor, not {type(mask).__name__}")
    if mask.ndim > input.ndim:
        raise IndexError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input): "
            f"{mask.ndim} against {input.ndim}"
        )
    return mask.bool().expand(input.shape)


def checked(name: str, input: Any) -> Tensor:
    return require_tensor(input, f"masked.{name}")


def dims_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions of a reduction, in order; None and () are all of them."""
    found = axes(dim, ndim)
    if found is None:
        return tuple(range(ndim))
    if not ndim:
        return (0,)
    return tuple(sorted(found)) if isinstance(found, tuple) else (found,)
