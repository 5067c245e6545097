"""Formats: results laid out in memory as torch lays out those of its image kernels."""

from __future__ import annotations

import numpy as np

from rushlight.core.memory.layout import channels_last, channels_last_3d, empty_in_format
from rushlight.core.memory.strides import strides_of


def is_channels_last(array: np.ndarray) -> bool:
    """Whether the strides of images or volumes, not their sizes alone, put the channels next to each other."""
    if array.ndim not in (4, 5) or not array.size:
        return False
    # the usual case: 2 us less
    if array.flags.c_contiguous and array.strides[1] != array.strides[-1]:
        return False
    strides = strides_of(array)
    if strides[1] == 0:
        return False
    least = 0
    for dim in (1, *range(array.ndim - 1, 1, -1), 0):
        if strides[dim] < least or (dim == 0 and least == strides[1]):
            return False
        least = strides[dim] * array.shape[dim]
    return True


def laid_out(result: np.ndarray, like: np.ndarray) -> np.ndarray:
    """The result with its channels last if they are in `like`, which it was computed from; in C order otherwise."""
    if not is_channels_last(like):
        return result if result.flags.c_contiguous else result.copy()
    if is_channels_last(result):
        return result
    found = empty_in_format(result.shape, result.dtype, channels_last if result.ndim == 4 else channels_last_3d)
    found[...] = result
    return found
