"""Growth: room for more elements on a tensor's memory, for all that look at it."""

from __future__ import annotations

import math
from sys import getrefcount

import numpy as np

from rushlight.core.creation.options import allocate
from rushlight.core.memory.deferred import alike
from rushlight.core.memory.moving import move
from rushlight.core.memory.storage import ALONE, Storage
from rushlight.core.memory.strides import as_kind, contiguous_strides, memory_extent, strided
from rushlight.core.object.tensor import Tensor, storage_of


def memory_of(tensor: Tensor) -> np.ndarray:
    """The memory of the tensor's storage in its own dtype; that of `x.real` is the complex numbers'."""
    memory = storage_of(tensor).array
    return memory if memory.dtype is tensor._array.dtype else as_kind(memory, tensor._array.dtype)


def give_shape(tensor: Tensor, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> None:
    """Lay the tensor out by rows, or with dense strides, on its memory, which grows where it is too small."""
    offset, count = tensor.storage_offset(), math.prod(shape)
    memory = memory_of(tensor)
    if count and offset + count > memory_extent(memory):
        storage = storage_of(tensor)
        memory = enlarged(memory, offset + count)
        if storage.shared is None and getrefcount(storage) <= ALONE:
            storage.array = memory
        else:
            move(storage.array, memory)
    tensor._array = alike(tensor._array, strided(memory, shape, strides or contiguous_strides(shape), offset))


def grow(storage: Storage, count: int) -> None:
    """Make room for so many elements, for all tensors that look at this memory."""
    if count > memory_extent(storage.array):
        larger = enlarged(storage.array, count)
        move(storage.array, larger)
        storage.array = larger


def enlarged(memory: np.ndarray, count: int) -> np.ndarray:
    """A block of so many elements that begins with those of another one."""
    kept = strided(memory, (memory_extent(memory),), (1,), 0)
    found = allocate(np.empty, (count,), kept.dtype)
    found[: kept.size] = kept
    return found
