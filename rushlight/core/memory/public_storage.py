"""UntypedStorage: the block of memory that a tensor and its views share, as bytes."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from rushlight.core.creation.options import allocate
from rushlight.core.memory.addresses import address_of
from rushlight.core.memory.deferred import raw
from rushlight.core.memory.mapping import Mapping, buffer_bytes, map_file, owner_of, swap_bytes
from rushlight.core.memory.meta import Meta, reserve
from rushlight.core.memory.moving import move, tensors_on
from rushlight.core.memory.storage import Storage
from rushlight.core.memory.strides import bytes_of, copied
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import CPU, META, check_device, device, is_meta

# the object of each block that somebody holds, by the id of its array: there is one at a time
HELD: WeakValueDictionary[int, UntypedStorage] = WeakValueDictionary()
BYTES = np.dtype(np.uint8)


class StorageBase:
    """What storages have in common."""

    is_cuda = is_hpu = is_sparse = is_sparse_csr = False


class UntypedStorage(StorageBase):
    """A block of memory as bytes; tensors that share memory have the same one.

    >>> x = torch.tensor([1, 2], dtype=torch.int16)
    >>> x.untyped_storage().tolist()
    [1, 0, 2, 0]
    >>> x[1:].untyped_storage() is x.untyped_storage()
    True
    """

    # what several tensors' storages point to; its bytes; whether it is a piece of another storage
    _block: Any
    _memory: Any
    _part = False
    _checkpoint_offset: Any = None
    _fake_device: Any = None

    def __new__(cls, *arguments: Any, size: Any = None, device: Any = None, allocator: Any = None) -> UntypedStorage:
        if device is not None:
            check_device(device)
        given = arguments if size is None else (*arguments, size)
        if len(given) > 1:
            kinds = ", ".join(type(each).__name__ for each in given)
            raise TypeError(
                f"torch.UntypedStorage() received an invalid combination of arguments - got ({kinds}), but expected "
                "nothing, a size in bytes, or a sequence of integers"
            )
        block = first_bytes(given[0] if given else 0)
        return on_block(reserve(block.shape, block.dtype) if is_meta(device) else block, cls)

    def __init__(self, *arguments: Any, **options: Any):
        """Nothing to do: the memory is there."""

    @property
    def device(self) -> device:
        """Where the memory is: the CPU; 'meta' if there is none."""
        return CPU if type(self._block) is not Meta else META

    @property
    def _cdata(self) -> int:
        return id(self._block)

    @property
    def filename(self) -> str | None:
        """The file that is this memory, where others see what is written; None for any other."""
        return getattr(owner_of(self._block), "filename", None)

    @property
    def _address(self) -> int:
        """The address of the first byte, to compare with others."""
        return self._memory.__array_interface__["data"][0]

    def data_ptr(self) -> int:
        """The address of the first byte; 0 if there is none."""
        return address_of(self._memory) if self._memory.size and type(self._block) is not Meta else 0

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._memory.size

    size = nbytes
    __len__ = nbytes

    def element_size(self) -> int:
        """1: an element is a byte."""
        return 1

    def get_device(self) -> int:
        """The number of its device: -1, as for everything on the CPU."""
        return -1

    def tolist(self) -> list[int]:
        """The bytes as integers."""
        return self._memory.tolist()

    def untyped(self) -> UntypedStorage:
        """Itself."""
        return self

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of its type."""
        if dtype is None:
            return "torch.storage.UntypedStorage"
        raise RuntimeError(
            "type() of a storage gives its name only: make a tensor of it, with torch.asarray(storage, dtype=...)"
        )

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            start, stop = unit_slice(index, self.nbytes())
            made = on_block(self._memory[start : max(stop, start)])
            made._part = True
            return made
        return int(self._memory[checked_index(index, self.nbytes())])

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, int):
            raise RuntimeError(f"can only set storage content with a int types, but got {type(value).__name__} instead")
        if isinstance(index, slice):
            start, stop = unit_slice(index, self.nbytes())
            self._memory[start:stop] = value & 255
            return
        place = operator.index(index)
        if not -self.nbytes() <= place < self.nbytes():
            raise RuntimeError(f"out of bounds: index {place}, and the storage has {self.nbytes()} bytes")
        self._memory[place] = value & 255

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __repr__(self) -> str:
        if type(self._block) is Meta:
            return f"...\n[torch.storage.UntypedStorage(device=meta) of size {len(self)}]"
        lines = "".join(f" {each}\n" for each in self.tolist())
        return f"{lines or ' '}{'' if lines else chr(10)}[torch.storage.UntypedStorage(device=cpu) of size {len(self)}]"

    def __copy__(self) -> UntypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict) -> UntypedStorage:
        # the key that tensors use, so that a storage and the tensors on it stay together
        key = ("storage", id(self._block))
        if key not in memo:
            memo[key] = Storage(copied(self._block))
        return untyped_of(memo[key])

    def __reduce__(self) -> tuple:
        return restored, (self._memory,)

    def clone(self) -> UntypedStorage:
        """A copy."""
        return on_block(copied(self._memory))

    def new(self) -> UntypedStorage:
        """An empty one."""
        return on_block(np.empty(0, BYTES))

    def copy_(self, source: Any, non_blocking: bool | None = None) -> UntypedStorage:
        """Write the bytes of a storage of the same size into it."""
        if not hasattr(source, "untyped"):
            raise TypeError(f"copy_(): argument 'src' (position 1) must be torch.Storage, not {type(source).__name__}")
        other = source.untyped()._memory
        if other.size != self._memory.size:
            raise RuntimeError(f"size does not match, self was {len(self)} bytes but src was {other.size} bytes")
        self._memory[...] = other
        return self

    def fill_(self, value: int) -> UntypedStorage:
        """Write one number into every byte."""
        if not isinstance(value, int):
            raise RuntimeError(f"fill_ expects int, but got {type(value).__name__}")
        self._memory.fill(value & 255)
        return self

    def resizable(self) -> bool:
        """Whether `resize_` may be called: not for a piece of another storage, nor for memory of other owners."""
        return not self._part and isinstance(owner_of(self._block), np.ndarray)

    def resize_(self, size: int) -> UntypedStorage:
        """Give it another size, in place; tensors on it follow to new memory where it grows."""
        size = operator.index(size)
        if not self.resizable():
            raise RuntimeError("Trying to resize storage that is not resizable: the memory belongs to something else")
        # a shorter one keeps its memory: tensors on it may still be read
        made = self._memory[:size] if 0 <= size < self.nbytes() else grown(self._memory, size)
        before = self._block
        set_block(self, made)
        move(before, made)
        return self

    def byteswap(self, dtype: dtypes.dtype) -> None:
        """Turn round the bytes of each element of a dtype, in place."""
        swap_bytes(self._memory, dtypes.checked(dtype))

    def cpu(self) -> UntypedStorage:
        """Itself: it is on the CPU."""
        return self

    def cuda(self, device: Any = None, non_blocking: bool = False) -> UntypedStorage:
        """Refused: there is no such device."""
        check_device("cuda" if device is None else device)
        return self

    def to(self, *, device: Any, non_blocking: bool = False) -> UntypedStorage:
        """Itself, for the CPU; there is no other device."""
        check_device(device)
        return self

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is pinned for copies to an accelerator: never."""
        return False

    def pin_memory(self, device: Any = None) -> UntypedStorage:
        """Refused: there is no accelerator to pin memory for."""
        raise RuntimeError("Cannot access accelerator device when none is available: pinned memory serves none here")

    def is_shared(self) -> bool:
        """Whether the memory is a file's, or shared with other processes."""
        shared = sys.modules.get("rushlight.core.memory.shared")
        found = shared is not None and shared.block_of(self._block) is not None
        return found or isinstance(owner_of(self._block), Mapping)

    def share_memory_(self) -> UntypedStorage:
        """Move it to memory that is shared with the processes this one starts; tensors on it follow."""
        if not self.is_shared():
            shared = import_module("rushlight.core.memory.shared")
            tensors, holder = tensors_on(self._block), Storage(self._block)
            shared.share_storage(holder)
            for each in tensors:
                each._storage.array = holder.array  # type: ignore[union-attr]
            set_block(self, holder.array)
        return self

    @staticmethod
    def _new_shared(size: int, device: Any = None) -> UntypedStorage:
        return on_block(import_module("rushlight.core.memory.shared").new_shared(size, BYTES))

    @staticmethod
    def from_file(filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The first bytes of a file as memory; what is written goes into it if it is `shared`."""
        made = on_block(map_file(filename, bool(shared), operator.index(nbytes)))
        made._part = True
        return made

    @staticmethod
    def from_buffer(
        buffer: Any,
        byte_order: str | None = None,
        count: int = -1,
        offset: int = 0,
        *,
        dtype: dtypes.dtype | None = None,
    ) -> UntypedStorage:
        """A copy of the elements in a buffer, which are in the given order of bytes."""
        return on_block(buffer_bytes(buffer, byte_order, count, offset, dtype))


def converting(kind: dtypes.dtype) -> Any:
    """A method that makes numbers of a dtype out of the bytes."""

    def convert(self: UntypedStorage) -> Any:
        from rushlight.core.memory.typed_storage import typed

        return typed(self._memory.astype(kind.numpy))

    convert.__doc__ = f"Its bytes as numbers of {kind.name}, in a storage of their own."
    return convert


# torch's name of the conversion, where it is not the dtype's scalar name in small letters
CONVERSIONS = {dtypes.complex64: "complex_float", dtypes.complex128: "complex_double"}
# the dtypes that have a kind of storage; those that torch got later have none
LEGACY = [
    *(dtypes.float64, dtypes.float32, dtypes.float16, dtypes.bfloat16, dtypes.complex128, dtypes.complex64),
    *(dtypes.int64, dtypes.int32, dtypes.int16, dtypes.int8, dtypes.uint8, dtypes.bool_),
]
for _kind in LEGACY:
    setattr(UntypedStorage, CONVERSIONS.get(_kind, _kind.scalar.lower()), converting(_kind))


# where pickles find it
UntypedStorage.__module__ = "rushlight.storage"


def first_bytes(given: Any) -> np.ndarray:
    """The memory of `UntypedStorage(given)`: so many bytes, or a sequence of them."""
    if isinstance(given, int) and not isinstance(given, bool):
        return grown(np.empty(0, BYTES), given)
    if not (hasattr(given, "__getitem__") and hasattr(given, "__len__")) or isinstance(given, (Tensor, dict)):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type(given).__name__}")
    for each in given:
        if not isinstance(each, int):
            whole, part = type_name(given), type_name(each)
            raise RuntimeError(
                f"torch.UntypedStorage(): tried to construct a storage from a sequence ({whole}), but one of the items "
                f"was of type {part} instead of int"
            )
    return np.array([each & 255 for each in given], BYTES)


def type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def grown(memory: np.ndarray, size: int) -> np.ndarray:
    """New memory of a size that begins as the old one does."""
    if size < 0:
        raise RuntimeError(
            f"[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. a storage cannot have {size} bytes"
        )
    made = allocate(np.empty, (size,), BYTES)
    made[: memory.size] = memory
    return made


def checked_index(index: Any, length: int) -> int:
    if not hasattr(index, "__index__"):
        raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
    place = operator.index(index)
    if not -length <= place < length:
        raise IndexError(f"index {place} out of range for storage of size {length}")
    return place


def unit_slice(index: slice, length: int) -> tuple[int, int]:
    """Where a slice begins and ends."""
    start, stop, step = index.indices(length)
    if step != 1:
        raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
    return start, stop


def set_block(storage: UntypedStorage, block: np.ndarray) -> None:
    storage._block, storage._memory = block, bytes_of(block)
    HELD[id(block)] = storage


def on_block(block: np.ndarray, cls: type[UntypedStorage] = UntypedStorage) -> UntypedStorage:
    """The storage whose memory is this array."""
    made = object.__new__(cls)
    set_block(made, block)
    return made


def untyped_of(storage: Storage) -> UntypedStorage:
    """The public object of a tensor's storage: the one that somebody holds already, or a new one."""
    found = HELD.get(id(storage.array))
    return found if found is not None and found._block is storage.array else on_block(storage.array)


def untyped_storage_of(tensor: Tensor) -> UntypedStorage:
    """The storage of a tensor for whoever only reads it: a tensor that has none of its own gets none."""
    if tensor._storage is not None:
        return untyped_of(tensor._storage)
    block = raw(tensor._array)
    found = HELD.get(id(block))
    return found if found is not None and found._block is block else on_block(block)


def restored(memory: np.ndarray) -> UntypedStorage:
    """A storage out of a pickle."""
    return on_block(memory if memory.flags.writeable else memory.copy())
