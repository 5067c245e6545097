"""Moving: all tensors on one block of memory go to another one, as if the block itself had changed."""

from __future__ import annotations

import numpy as np

from rushlight.core.memory.deferred import alike
from rushlight.core.memory.living import living_tensors
from rushlight.core.memory.strides import bytes_of, strides_of
from rushlight.core.object.tensor import Tensor


def tensors_on(block: np.ndarray) -> list[Tensor]:
    """All living tensors whose storage is this block."""
    return [each for each in living_tensors() if each._storage is not None and each._storage.array is block]


def move(block: np.ndarray, other: np.ndarray) -> None:
    """Let every tensor on a block look at the same places of another one; the bytes are there already.

    A tensor that reaches beyond the end of the other block keeps its old memory.
    """
    memory = bytes_of(other)
    # where each begins, while their storages still say so
    found = [(each, each.storage_offset() * each._array.itemsize) for each in tensors_on(block)]
    for tensor, start in found:
        array, storage = tensor._array, tensor._storage
        if start + reach(array) <= memory.size:
            steps = tuple([step * array.itemsize for step in strides_of(array)])
            moved = np.ndarray(array.shape, array.dtype, memory, start, steps)
            tensor._array = alike(array, moved)
        storage.array = other  # type: ignore[union-attr]


def reach(array: np.ndarray) -> int:
    """Bytes from the first element of an array to the end of its last one."""
    if not array.size:
        return 0
    return array.itemsize + sum((extent - 1) * step for extent, step in zip(array.shape, array.strides, strict=True))
