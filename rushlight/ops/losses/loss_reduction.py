"""How a loss is brought together: the mean, the sum or none, and torch's older words for these."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import by_float32
from rushlight.core.numbers.promotion import compute_dtype
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn

FLOAT32 = np.dtype("float32")
# below this many elements conversions take longer than NumPy's steps in half precision
MANY = 256


def reduced(values: np.ndarray, reduction: str) -> Any:
    """The mean, the sum or all of the values, for the body of a loss; those in half precision add up in float32."""
    if values.dtype in dtypes.HALF and reduction != "none":
        values = by_float32(values, compute_dtype(values.dtype))
    if reduction == "mean":
        return np.add.reduce(values, None) / values.size
    if reduction == "sum":
        return np.add.reduce(values, None)
    if reduction == "none":
        return values
    raise unknown(reduction)


class Steps:
    """Arithmetic of a body whose every step is rounded to the dtype of its arrays, as torch's loops do it.

    In half precision NumPy takes ten ns for a step, float32 rounded to it one: each step is exact or rounded once.
    """

    def __init__(self, array: np.ndarray) -> None:
        self.kind = array.dtype
        self.is_wide = array.size >= MANY and array.dtype in dtypes.HALF

    def wide(self, array: np.ndarray) -> np.ndarray:
        """What the steps start from."""
        return by_float32(array, FLOAT32) if self.is_wide else array

    def number(self, value: float) -> np.floating:
        """A number as the arrays have it; beside Python's own a bfloat16 would not stay one."""
        rounded = self.kind.type(value)
        return FLOAT32.type(rounded) if self.is_wide else rounded

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """What one step gave."""
        return by_float32(by_float32(values, self.kind), FLOAT32) if self.is_wide else values


def reduced_tensor(values: Tensor, reduction: str) -> Tensor:
    """The mean, the sum or all of the values of a tensor."""
    if reduction == "mean":
        return values.mean()
    if reduction == "sum":
        return values.sum()
    if reduction == "none":
        return values
    raise unknown(reduction)


def share(grad: Tensor, reduction: str, count: int, factor: float = 1.0) -> Tensor:
    """The gradient of one of `count` values that were reduced, times a number."""
    if reduction == "mean":
        factor /= count or 1
    if factor == 1:
        return grad
    # half precision has no digits left for one part in 20,000: the share stays in float32 until it is multiplied
    return (grad.float() if grad._array.dtype in dtypes.HALF else grad) * factor


def require_known(reduction: str) -> str:
    if reduction not in ("mean", "sum", "none"):
        raise unknown(reduction)
    return reduction


def unknown(reduction: Any) -> ValueError:
    return ValueError(f"{reduction} is not a valid value for reduction: write 'mean', 'sum' or 'none'")


def legacy(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, also where it was asked for in the words that torch used before."""
    if size_average is None and reduce is None:
        return reduction
    return older_words(size_average, reduce)


def older_words(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that the older arguments ask for; both mean True if they are left out."""
    reduce = reduce is None or reduce
    if (size_average is None or size_average) and reduce:
        found = "mean"
    else:
        found = "sum" if reduce else "none"
    if emit_warning:
        warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
    return found
