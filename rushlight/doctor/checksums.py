"""Checksums: whether memory holds what it held before, without a copy of all of it."""

from __future__ import annotations

import functools
import zlib
from typing import Any

import numpy as np

# below so many bytes a copy is cheaper than a sum, and can say what has changed
COPIED = 4096
# elements that are summed up together
BLOCK = 65536


def checksum(array: Any) -> Any:
    """What is equal as long as the values are the same: a copy of few bytes, weighted sums of many.

    The weights see elements that change places; a product of 0.4 MB takes 11 us, a CRC ten times that.
    """
    if not isinstance(array, np.ndarray):
        return None
    if array.nbytes <= COPIED:
        return array.tobytes()
    if array.dtype.kind != "f" or array.dtype.itemsize < 4 or not array.flags.c_contiguous:
        return zlib.crc32(np.ascontiguousarray(array).tobytes())
    flat, weights = array.reshape(-1), weights_of(array.dtype)
    parts = [flat[start : start + BLOCK] for start in range(0, flat.size, BLOCK)]
    with np.errstate(all="ignore"):
        return b"".join([np.dot(part, weights[: part.size]).tobytes() for part in parts])


@functools.cache
def weights_of(dtype: np.dtype) -> np.ndarray:
    """Fixed weights between 0.5 and 1.5, from a generator of their own."""
    return (np.random.Generator(np.random.PCG64(1)).random(BLOCK) + 0.5).astype(dtype)
