"""Products of integer matrices: exact in float64 where no sum can leave its digits, at the speed of BLAS."""

from __future__ import annotations

import numpy as np

# below this many multiplications NumPy's own loops are as fast
MANY = 1 << 13
EXACT = 2.0**53


def product(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """`np.matmul` of arrays of one dtype; integers by way of float64, which BLAS knows, if every sum fits it."""
    if one.dtype.kind not in "iu" or one.size < 2 or other.size < 2:
        return np.matmul(one, other)
    columns = other.shape[-1] if other.ndim > 1 else 1
    length = one.shape[-1]
    if one.size * columns < MANY or largest(one) * largest(other) * length >= EXACT:
        return np.matmul(one, other)
    return np.matmul(one.astype(np.float64), other.astype(np.float64)).astype(one.dtype)


def largest(array: np.ndarray) -> float:
    """The largest size of an element."""
    return max(float(array.max()), -float(array.min()))
