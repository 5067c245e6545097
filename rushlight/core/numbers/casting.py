"""Casting: an array in another dtype, converted number by number as torch does, without NumPy's warnings."""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers.dtypes import HALF, STORED
from rushlight.core.settings.float_warnings import QUIET, floating_point
from rushlight.native import extension

FLOAT32, INT32, INT64 = np.dtype("float32"), np.dtype("int32"), np.dtype("int64")
# short integers that torch reaches by way of 32 bits; uint8 by way of 64
BY_32_BITS = ("int8", "int16", "uint16")


def cast(array: np.ndarray, kind: np.dtype) -> np.ndarray:
    """The array in another dtype, in the same memory order; the array itself if it has it already."""
    if array.dtype == kind:
        return array
    token = floating_point.set(QUIET)
    try:
        if array.dtype.kind == "c" and kind.kind not in "cb":
            array = array.real
        if kind in STORED:
            from rushlight.core.numbers.rare_dtypes import store

            return store(array, kind)
        if array.dtype in STORED or kind in HALF or array.dtype in HALF:
            # torch reaches the short formats, and leaves them, by way of float32: two roundings, not one
            array = by_float32(array, FLOAT32)
        if array.dtype.kind == "f" and kind.kind in "iu":
            array = whole(array, kind)
        return by_float32(array, kind) if kind in HALF else array.astype(kind)
    finally:
        floating_point.reset(token)


def by_float32(array: np.ndarray, kind: np.dtype) -> np.ndarray:
    """The array as `astype` gives it, where one of the dtypes is half precision and the other may be float32.

    Native loops take 0.2 ns an element, NumPy's of float16 ten.
    """
    if extension is not None and type(array) is np.ndarray:
        if 1 in array.shape:
            # dimensions of size 1 have the steps that NumPy gives them
            found = np.empty_like(array, kind)
            if extension.write_converted(found, array):
                return found
        elif (found := extension.convert_half(array, kind)) is not None:
            return found
    return array.astype(kind)


def whole(array: np.ndarray, kind: np.dtype) -> np.ndarray:
    """Floats on the way to an integer dtype: what is out of its range wraps around, as it does in torch on x86."""
    if kind.name in BY_32_BITS:
        inside = (array >= -(2.0**31)) & (array < 2.0**31)
        return np.where(inside, array, array.dtype.type(-(2.0**31))).astype(INT32)
    return array.astype(INT64) if kind.name == "uint8" else array
