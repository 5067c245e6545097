"""Meta arrays: a shape, strides and a dtype on addresses that are reserved but hold no memory."""

from __future__ import annotations

import math
import sys
import threading
from typing import Any

import numpy as np

ndarray = np.ndarray
# addresses are taken in blocks, since a system has a limit to how many it gives
BLOCK = 1 << 26
ALIGNMENT = 64


class Meta(ndarray):
    """An array that nobody reads: computing with it gives arrays of the right shape, writing to it does nothing.

    Its addresses are real, so views, strides and offsets are those of any array; pages that nobody
    touches take no memory. Native code does not know the class and leaves the work to Python.
    """

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        if not isinstance(found, ndarray):
            return reserve((), self.dtype)
        return found if np.may_share_memory(found, self) else reserve(found.shape, found.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        np.broadcast_shapes(np.shape(value), self.view(ndarray)[index].shape)

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", ())
        made = getattr(ufunc, method)(*bare_all(inputs), **options)
        return (out if len(out) > 1 else out[0]) if out else marked(made)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.copyto:
            return None
        if func.__name__ in ASK_NUMBERS:
            raise depends_on_data(func.__name__)
        return marked(func(*bare_all(args), **dict(zip(kwargs, bare_all(kwargs.values()), strict=True))))

    def resolve(self) -> ndarray:
        """Refused: there are no elements."""
        raise no_data()

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> ndarray:
        return reserve(self.shape, np.dtype(dtype))

    def copy(self, order: Any = "C") -> Any:
        return reserve(self.shape, self.dtype)

    def item(self, *args: Any) -> Any:
        raise RuntimeError("Tensor.item() cannot be called on meta tensors: they have a shape but no numbers")

    def tolist(self) -> Any:
        raise no_data()

    def __bool__(self) -> bool:
        return self.item()

    def __float__(self) -> float:
        return self.item()

    def __int__(self) -> int:
        return self.item()

    def __index__(self) -> int:
        return self.item()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reserve, (self.shape, self.dtype, self.strides)

    def fill(self, value: Any) -> None:
        """Nothing: there is nothing to fill."""


# functions of NumPy's whose answer is in the numbers
ASK_NUMBERS = {"array_equal", "allclose", "nonzero", "flatnonzero", "argwhere", "unique", "bincount", "extract"}


class Addresses:
    """The block of addresses from which the next array is cut."""

    def __init__(self) -> None:
        self.block = np.empty(0, np.uint8)
        self.used = 0
        self.lock = threading.Lock()

    def take(self, size: int) -> ndarray:
        """So many bytes that nothing else uses, for as long as the array lives."""
        size = max(-(-size // ALIGNMENT), 1) * ALIGNMENT
        if size > BLOCK // 4:
            return untouched(size)
        with self.lock:
            if self.used + size > self.block.size:
                self.block, self.used = untouched(BLOCK), 0
            found = self.block[self.used : self.used + size]
            self.used += size
        return found


addresses = Addresses()


def untouched(size: int) -> ndarray:
    """Reserved addresses, where each page reads as zeros and takes no memory while nobody writes to it."""
    import mmap

    if not hasattr(mmap, "MAP_PRIVATE"):
        return np.zeros(size, np.uint8)
    # Python 3.11 on Linux has no name for the flag
    unreserved = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
    try:
        held = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | unreserved)
    except (OSError, OverflowError, ValueError):
        from rushlight.core.memory.capacity import no_room

        raise no_room(size, "of addresses for a meta tensor") from None
    return np.frombuffer(held, np.uint8)


def reserve(shape: tuple[int, ...], kind: np.dtype, strides: tuple[int, ...] | None = None) -> ndarray:
    """A meta array of a shape and dtype; `strides` in bytes, by rows if left out."""
    size = kind.itemsize
    if strides is None or 0 in shape or min(strides, default=0) < 0:
        memory = addresses.take(math.prod(shape) * size)
        return ndarray.__new__(Meta, shape, kind, memory)
    extent = size + sum((each - 1) * step for each, step in zip(shape, strides, strict=True))
    return ndarray.__new__(Meta, shape, kind, addresses.take(extent), 0, strides)


def like(array: ndarray) -> ndarray:
    """A meta array with the shape, strides and dtype of an array; a meta array itself."""
    return array if type(array) is Meta else reserve(array.shape, array.dtype, array.strides)


def marked(found: Any) -> Any:
    """What a computation gave, arrays and numbers of NumPy's as meta arrays."""
    if type(found) in (tuple, list):
        return type(found)([marked(each) for each in found])
    if isinstance(found, np.generic):
        found = np.asarray(found)
    return like(found) if isinstance(found, ndarray) else found


def bare(value: Any) -> Any:
    """A meta array as a plain one, which reads as zeros and must not be written to; anything else as it is."""
    return value.view(ndarray) if type(value) is Meta else value


def bare_all(values: Any) -> list:
    """As `bare`, also for arrays in tuples and lists."""
    return [type(each)(bare_all(each)) if type(each) in (tuple, list) else bare(each) for each in values]


def kept(array: ndarray, found: ndarray) -> ndarray:
    """A view of an array's memory: a meta array if that is one."""
    return found.view(Meta) if type(array) is Meta and type(found) is ndarray else found


def beside(array: ndarray, made: ndarray) -> ndarray:
    """An array that is to be used with another one: without memory if that is."""
    return like(made) if type(array) is Meta else made


def depends_on_data(name: str) -> NotImplementedError:
    """The refusal of what numbers would have to be known for."""
    return NotImplementedError(
        f"aten::{name}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
        "registered: what it gives depends on numbers, and meta tensors have none"
    )


def no_data() -> NotImplementedError:
    """The refusal to read what is not there."""
    return NotImplementedError("Cannot copy out of meta tensor; no data!")
