"""Memory: what `untyped_storage()` and `storage()` show of the block that a tensor and its views share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rushlight.core.creation.options import allocate
from rushlight.core.memory.deferred import alike
from rushlight.core.memory.storage import Storage, continued
from rushlight.core.memory.strides import contiguous_strides, memory_extent, strided
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor, attribute, method, storage_of
from rushlight.core.settings.device import CPU, device


def flat(storage: Storage) -> np.ndarray:
    """All elements of a storage in the order of memory, as a view."""
    return strided(storage.array, (memory_extent(storage.array),), (1,), 0)


def give_shape(tensor: Tensor, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> None:
    """Lay the tensor out by rows, or with dense strides, on its memory or, where that is too small, a larger copy."""
    storage, offset, kind = storage_of(tensor), tensor.storage_offset(), tensor._array.dtype
    # the memory of `x.real` is that of complex numbers
    memory = storage.array if storage.array.dtype == kind else flat(storage).view(kind)
    count = math.prod(shape)
    if count and offset + count > memory_extent(memory):
        # views that were made before keep the old memory, and with it their offsets
        del storage
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


class UntypedStorage:
    """A block of memory as bytes.

    >>> torch.tensor([1, 2], dtype=torch.int16).untyped_storage().tolist()
    [1, 0, 2, 0]
    """

    def __init__(self, storage: Storage):
        self._storage = storage
        self._memory = flat(storage).view(np.uint8)

    @property
    def device(self) -> device:
        return CPU

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return self._memory.ctypes.data if self._memory.size else 0

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._memory.size

    size = nbytes
    __len__ = nbytes

    def tolist(self) -> list[int]:
        return self._memory.tolist()

    def __getitem__(self, index: Any) -> Any:
        return self._memory[index].tolist()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._memory[index] = value

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other._storage is self._storage

    def __hash__(self) -> int:
        return id(self._storage)

    def __repr__(self) -> str:
        lines = "".join(f" {each}\n" for each in self.tolist())
        return f"{lines}[torch.storage.UntypedStorage(device=cpu) of size {len(self)}]"


class TypedStorage:
    """A block of memory as numbers of one dtype."""

    def __init__(self, storage: Storage):
        self._storage = storage
        self._memory = flat(storage)

    @property
    def dtype(self) -> dtypes.dtype:
        return dtypes.from_numpy(self._memory.dtype)

    @property
    def device(self) -> device:
        return CPU

    def untyped(self) -> UntypedStorage:
        return UntypedStorage(self._storage)

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self._memory.ctypes.data if self._memory.size else 0

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._memory.nbytes

    def element_size(self) -> int:
        return self._memory.itemsize

    def size(self) -> int:
        """The number of elements."""
        return self._memory.size

    __len__ = size

    def tolist(self) -> list:
        return self._memory.tolist()

    def __getitem__(self, index: Any) -> Any:
        return self._memory[index].tolist()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._memory[index] = value

    def __iter__(self) -> Iterator:
        return iter(self.tolist())

    def __repr__(self) -> str:
        lines = "".join(f" {each}\n" for each in self.tolist())
        return f"{lines}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"


@method
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that the tensor shares with its views, as bytes.

    >>> x = torch.zeros(4)
    >>> x.untyped_storage().nbytes(), x[2:].untyped_storage().nbytes()
    (16, 16)
    """
    return UntypedStorage(storage_of(self))


@method
def storage(self: Tensor) -> TypedStorage:
    """The memory that the tensor shares with its views, as numbers of its dtype."""
    return TypedStorage(storage_of(self))


attribute("_typed_storage", storage)
