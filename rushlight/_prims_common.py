"""torch._prims_common: small questions about dtypes and shapes that packages ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.numbers import dtypes
from rushlight.core.numbers.promotion import promote_types

__all__ = [
    "corresponding_complex_dtype",
    "corresponding_real_dtype",
    "get_higher_dtype",
    "is_boolean_dtype",
    "is_complex_dtype",
    "is_contiguous",
    "is_contiguous_or_false",
    "is_float_dtype",
    "is_integer_dtype",
    "make_contiguous_strides_for",
]

ShapeType = Sequence[int]
StrideType = Sequence[int]
DeviceLikeType = Any
NumberType = bool | int | float | complex
Number = NumberType


def is_float_dtype(dtype: dtypes.dtype) -> bool:
    """Whether a dtype is a floating point one."""
    return dtype.is_floating_point


def is_complex_dtype(dtype: dtypes.dtype) -> bool:
    """Whether a dtype is a complex one."""
    return dtype.is_complex


def is_integer_dtype(dtype: dtypes.dtype) -> bool:
    """Whether a dtype is one of integers."""
    return dtype.category == dtypes.INTEGER


def is_boolean_dtype(dtype: dtypes.dtype) -> bool:
    """Whether a dtype is bool."""
    return dtype is dtypes.bool_


def corresponding_real_dtype(dtype: dtypes.dtype) -> dtypes.dtype:
    """The dtype of the parts of complex numbers."""
    return dtype.to_real()


def corresponding_complex_dtype(dtype: dtypes.dtype) -> dtypes.dtype:
    """The dtype of complex numbers with these parts."""
    return dtype.to_complex()


def get_higher_dtype(a: Any, b: Any) -> dtypes.dtype | None:
    """The dtype that two dtypes, tensors or numbers have together; None if both are None."""
    first, second = (getattr(each, "dtype", each) for each in (a, b))
    return promote_types(first, second) if first is not None and second is not None else first or second


def is_contiguous(a: Any, false_if_dde: bool = False) -> bool:
    """Whether the elements of a tensor lie in order."""
    return bool(a.is_contiguous())


def is_contiguous_or_false(a: Any) -> bool:
    """Whether the elements of a tensor lie in order."""
    return is_contiguous(a)


def make_contiguous_strides_for(shape: Sequence[int], row_major: bool = True) -> tuple[int, ...]:
    """The strides of a shape whose elements lie in order; matrices by columns if `row_major` is false."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    found = strides[::-1]
    if not row_major and len(shape) >= 2:
        found[-1], found[-2] = max(shape[-2], 1), 1
    return tuple(found)
