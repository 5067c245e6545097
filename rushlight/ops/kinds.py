"""Kinds: the dtypes an op takes, and torch's refusal of the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core import dtypes


def kind_of(first: Any, second: Any) -> str:
    """NumPy's letter for the dtype that two operands share: b, u, i, f or c."""
    array = first if type(first) is np.ndarray else second
    if type(array) is not np.ndarray:
        raise TypeError("received an invalid combination of arguments: one of the two operands must be a Tensor")
    return array.dtype.kind


def require_tensor(first: Any, second: Any) -> None:
    """Refuse two numbers."""
    kind_of(first, second)


def refuse(kernel: str, *values: Any) -> NotImplementedError:
    """torch's error for a dtype that it has no kernel for."""

    kind = next(each.dtype for each in values if type(each) is np.ndarray)
    return NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.from_numpy(kind).scalar}'")


def require_floats(kernel: str, array: np.ndarray) -> None:
    """Refuse integers, bools and complex numbers."""
    if array.dtype.kind != "f" and array.dtype not in dtypes.HALF:
        raise refuse(kernel, array)
