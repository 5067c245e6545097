"""Strides: the geometry of an array in memory, counted in elements as torch counts."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.memory.meta import kept
from rushlight.native import extension


def strides_of(array: np.ndarray) -> tuple[int, ...]:
    """Strides in elements, as torch counts them."""
    size = array.itemsize
    if array.size == 0 and not any(array.strides):
        # NumPy's new empty arrays have strides of 0
        return contiguous_strides(array.shape)
    return tuple([step // size for step in array.strides])


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a freshly made tensor of this shape."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def packed(array: np.ndarray) -> np.ndarray:
    """The array in C order, itself if it is; native loops turn memory two to five times as fast as NumPy's."""
    if array.flags.c_contiguous:
        return array
    found = extension.packed_copy(array) if extension is not None and type(array) is np.ndarray else None
    return array.copy() if found is None else found


def is_fresh(array: np.ndarray) -> bool:
    """Whether an array lies as a new one of its shape would, also along dimensions of size 1."""
    return array.flags.c_contiguous and (1 not in array.shape or strides_of(array) == contiguous_strides(array.shape))


def with_strides(array: np.ndarray, shape: tuple, strides: tuple) -> np.ndarray:
    """The array's memory with other sizes and byte strides, from the same first element."""
    if array.flags.c_contiguous:
        # a tenth of the cost of np.lib.stride_tricks
        return kept(array, np.ndarray(shape, array.dtype, array, 0, strides))
    return kept(array, np.lib.stride_tricks.as_strided(array.view(np.ndarray), shape, strides))


def settled(array: np.ndarray) -> np.ndarray:
    """The array; an empty one with torch's strides in place of NumPy's zeros, for a view that keeps them."""
    if array.size:
        return array
    return kept(array, np.ndarray(array.shape, array.dtype, array, 0, byte_strides(array)))


def byte_strides(array: np.ndarray) -> tuple[int, ...]:
    """torch's strides of the array, in bytes."""
    if array.size:
        return array.strides
    size = array.itemsize
    return tuple([step * size for step in strides_of(array)])


def view_strides(array: np.ndarray, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The byte strides that show the array's elements in another shape, if there are any."""
    if not array.size:
        if shape == array.shape:
            return byte_strides(array)
        return tuple([step * array.itemsize for step in contiguous_strides(shape)])
    if not array.ndim:
        return (array.itemsize,) * len(shape)
    strides = [0] * len(shape)
    place = len(shape) - 1
    base, count, covered = array.strides[-1], 1, 1
    # runs of dimensions that lie evenly in memory, from the last one; each must hold whole new dimensions
    for dim in range(array.ndim - 1, -1, -1):
        count *= array.shape[dim]
        if dim and (array.shape[dim - 1] == 1 or array.strides[dim - 1] == count * base):
            continue
        while place >= 0 and (covered < count or shape[place] == 1):
            strides[place] = covered * base
            covered *= shape[place]
            place -= 1
        if covered != count:
            return None
        if dim:
            base, count, covered = array.strides[dim - 1], 1, 1
    return tuple(strides) if place < 0 else None


def strided(memory: np.ndarray, shape: tuple, strides: tuple, offset: int) -> np.ndarray:
    """An array over `memory` with the given geometry in elements; checked to stay inside."""
    if any(extent < 0 for extent in shape):
        raise RuntimeError(f"as_strided: negative sizes are not supported: {list(shape)}")
    if any(step < 0 for step in strides):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(strides)}"
        )
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}: the memory begins at 0")
    size = memory.itemsize
    steps = tuple([step * size for step in strides])
    if not math.prod(shape):
        # nothing is read: it may begin anywhere
        return empty_view(memory, shape, steps, offset * size)
    needed = 1 + offset + sum((extent - 1) * step for extent, step in zip(shape, strides, strict=True))
    held = memory_extent(memory)
    if needed > held:
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(strides)}, storage offset {offset}, and "
            f"itemsize {size} requiring a storage size of {needed * size} are out of bounds for storage "
            f"of size {held * size}"
        )
    if memory.flags.c_contiguous and memory.size:
        return kept(memory, np.ndarray(shape, memory.dtype, memory, offset * size, steps))
    start = np.lib.stride_tricks.as_strided(memory.view(np.ndarray), (memory_extent(memory),), (size,))
    return kept(memory, np.lib.stride_tricks.as_strided(start[offset:], shape, steps))


class Place:
    """A place in an array's memory for an empty array: NumPy's own slices forget where they begin."""

    def __init__(self, array: np.ndarray, shape: tuple, strides: tuple, place: int):
        self.array = array
        given = array.__array_interface__
        address, read_only = given["data"]
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "strides": strides,
            "typestr": given["typestr"],
            "data": (address + place, read_only),
        }


def empty_view(array: np.ndarray, shape: tuple, strides: tuple, place: int) -> np.ndarray:
    """An empty view that begins so many bytes behind the array's first element, as torch has it."""
    found = np.asarray(Place(array, shape, strides, place))
    return kept(array, found if found.dtype == array.dtype else found.view(array.dtype))


def bytes_of(memory: np.ndarray) -> np.ndarray:
    """All bytes from the first element of an array to its last one, in the order of memory, as a view."""
    flat = strided(memory, (memory_extent(memory),), (1,), 0)
    return flat.view(np.uint8)


def copied(block: np.ndarray) -> np.ndarray:
    """A copy of an array's memory, in one row, that is written to even if the array may not be."""
    return bytes_of(block).copy().view(block.dtype)


def as_kind(memory: np.ndarray, kind: np.dtype) -> np.ndarray:
    """The bytes of an array as elements of another dtype, as many as are whole."""
    held = bytes_of(memory)
    return held[: held.size - held.size % kind.itemsize].view(kind)


def memory_extent(memory: np.ndarray) -> int:
    """Elements from the first to the last one of an array."""
    if not memory.size:
        return 0
    steps = zip(memory.shape, memory.strides, strict=True)
    return 1 + sum((extent - 1) * step for extent, step in steps) // memory.itemsize
