"""Casting: an array in another dtype, converted number by number as torch does, without NumPy's warnings."""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers.dtypes import HALF, STORED
from rushlight.core.settings.float_warnings import QUIET, floating_point

FLOAT32, INT64 = np.dtype("float32"), np.dtype("int64")


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
            array = array.astype(FLOAT32)
        elif array.dtype.kind == "f" and kind.kind in "iu" and kind.itemsize < 4:
            # a number out of range wraps around
            array = array.astype(INT64)
        return array.astype(kind)
    finally:
        floating_point.reset(token)
