"""Growth: room for more elements on a tensor's memory, and the memory of a storage in the order it lies."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.creation.options import allocate
from rushlight.core.memory.deferred import alike
from rushlight.core.memory.storage import Storage, continued
from rushlight.core.memory.strides import as_kind, contiguous_strides, memory_extent, strided
from rushlight.core.object.tensor import Tensor, storage_of


def flat(storage: Storage) -> np.ndarray:
    """All elements of a storage in the order of memory, as a view."""
    return strided(storage.array, (memory_extent(storage.array),), (1,), 0)


def memory_of(tensor: Tensor) -> np.ndarray:
    """The memory of the tensor's storage in its own dtype; that of `x.real` is the complex numbers'."""
    memory = storage_of(tensor).array
    return memory if memory.dtype is tensor._array.dtype else as_kind(memory, tensor._array.dtype)


def give_shape(tensor: Tensor, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> None:
    """Lay the tensor out by rows, or with dense strides, on its memory or, where that is too small, a larger copy."""
    offset, count = tensor.storage_offset(), math.prod(shape)
    memory = memory_of(tensor)
    if count and offset + count > memory_extent(memory):
        # views that were made before keep the old memory, and with it their offsets
        storage = tensor._storage = continued(tensor._storage, memory)
        grow(storage, offset + count)
        memory = storage.array
    tensor._array = alike(tensor._array, strided(memory, shape, strides or contiguous_strides(shape), offset))


def grow(storage: Storage, count: int) -> None:
    """Make room for so many elements; views that were made before keep the old memory."""
    kept = flat(storage)
    if count > kept.size:
        storage.array = allocate(np.empty, (count,), kept.dtype)
        storage.array[: kept.size] = kept
