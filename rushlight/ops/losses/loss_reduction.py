"""How a loss is brought together: the mean, the sum or none, and torch's older words for these."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.numbers.promotion import compute_dtype
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn


def reduced(values: np.ndarray, reduction: str) -> Any:
    """The mean, the sum or all of the values, for the body of a loss; those in half precision add up in float32."""
    if values.dtype in dtypes.HALF and reduction != "none":
        values = values.astype(compute_dtype(values.dtype))
    if reduction == "mean":
        return np.add.reduce(values, None) / values.size
    if reduction == "sum":
        return np.add.reduce(values, None)
    if reduction == "none":
        return values
    raise unknown(reduction)


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
