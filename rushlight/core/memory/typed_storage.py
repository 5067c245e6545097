"""TypedStorage: a block of memory as numbers of one dtype, and its kinds such as `FloatStorage`."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rushlight.core.memory.public_storage import CONVERSIONS, LEGACY, UntypedStorage, on_block
from rushlight.core.memory.strides import as_kind
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import check_device, device

FORMS = (
    "received an invalid combination of arguments. Expected no arguments, a size, a sequence of numbers, or "
    "wrap_storage=, an UntypedStorage"
)


class TypedStorage:
    """A block of memory as numbers of one dtype.

    >>> torch.tensor([1.0, 2.0]).storage().tolist()
    [1.0, 2.0]
    """

    is_sparse = is_cuda = is_hpu = False
    _fake_device: Any = None
    dtype: dtypes.dtype

    def __init__(
        self,
        *args: Any,
        wrap_storage: UntypedStorage | None = None,
        dtype: dtypes.dtype | None = None,
        device: Any = None,
        _internal: bool = False,
    ):
        if device is not None:
            check_device(device)
        self.dtype = dtypes.default if dtype is None else dtypes.checked(dtype)
        if wrap_storage is None:
            self._untyped_storage = on_block(first_elements(args, self.dtype, "TypedStorage.__init__"))
            return
        if args or dtype is None or device is not None:
            raise RuntimeError(f"TypedStorage.__init__ {FORMS} together with dtype=, and nothing else")
        self._untyped_storage = checked_untyped(wrap_storage, "TypedStorage.__init__")

    @property
    def _memory(self) -> np.ndarray:
        return as_kind(self._untyped_storage._memory, self.dtype.numpy)

    @property
    def _dtype(self) -> dtypes.dtype:
        return self.dtype

    @property
    def device(self) -> device:
        """Where the memory is: the CPU."""
        return self._untyped_storage.device

    @property
    def filename(self) -> str | None:
        """The file that is this memory, where others see what is written; None for any other."""
        return self._untyped_storage.filename

    @property
    def _cdata(self) -> int:
        return self._untyped_storage._cdata

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return self._untyped_storage

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self._untyped_storage.data_ptr()

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._untyped_storage.nbytes()

    def element_size(self) -> int:
        """Bytes in one element."""
        return self.dtype.itemsize

    def size(self) -> int:
        """The number of elements."""
        return self.nbytes() // self.dtype.itemsize

    __len__ = size
    _size, _nbytes, _data_ptr, _element_size = size, nbytes, data_ptr, element_size

    def get_device(self) -> int:
        """The number of its device: -1, as for everything on the CPU."""
        return -1

    def tolist(self) -> list:
        """The elements as Python numbers."""
        return plain(self._memory)

    def __iter__(self) -> Iterator:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__: write storage.untyped()[...]")
        return plain(self._memory[self._place(index)])

    def _place(self, index: Any) -> int:
        if not hasattr(index, "__index__"):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        place = operator.index(index)
        if not -len(self) <= place < len(self):
            raise IndexError(f"index {place} out of range for storage of size {len(self)}")
        return place

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, slice):
            if not hasattr(index, "__index__"):
                raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
            if not -len(self) <= operator.index(index) < len(self):
                raise IndexError(f"index {index} is out of bounds for dimension 0 with size {len(self)}")
        if isinstance(value, (str, bytes)):
            raise TypeError(f"can't assign a {type(value).__name__} to a torch.{self.dtype.scalar}Tensor")
        self._memory[index] = value._array if isinstance(value, Tensor) else value

    def __repr__(self) -> str:
        lines = "".join(f" {each}\n" for each in self.tolist()) or " \n"
        return f"{lines}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"

    def __copy__(self) -> TypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped_storage.__deepcopy__(memo), dtype=self.dtype)

    def __reduce__(self) -> tuple:
        return wrapped, (self._untyped_storage, self.dtype)

    def clone(self) -> TypedStorage:
        """A copy."""
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    def copy_(self, source: Any, non_blocking: bool | None = None) -> TypedStorage:
        """Write the bytes of a storage of the same size into it."""
        self._untyped_storage.copy_(source, non_blocking)
        return self

    def fill_(self, value: Any) -> TypedStorage:
        """Write one number into every element."""
        self[:] = value
        return self

    def resizable(self) -> bool:
        """Whether `resize_` may be called."""
        return self._untyped_storage.resizable()

    def resize_(self, size: int) -> TypedStorage:
        """Give it another number of elements, in place."""
        self._untyped_storage.resize_(size * self.dtype.itemsize)
        return self

    def cpu(self) -> TypedStorage:
        """The same memory: it is on the CPU."""
        return TypedStorage(wrap_storage=self._untyped_storage, dtype=self.dtype)

    def cuda(self, device: Any = None, non_blocking: bool = False) -> TypedStorage:
        """Refused: there is no such device."""
        self._untyped_storage.cuda(device)
        return self

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """Itself, for the CPU; there is no other device."""
        check_device(device)
        return self

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is pinned for copies to an accelerator: never."""
        return False

    def pin_memory(self, device: Any = None) -> TypedStorage:
        """Refused: there is no accelerator to pin memory for."""
        self._untyped_storage.pin_memory(device)
        return self

    def is_shared(self) -> bool:
        """Whether the memory is a file's, or shared with other processes."""
        return self._untyped_storage.is_shared()

    def share_memory_(self) -> TypedStorage:
        """Move it to memory that is shared with the processes this one starts; tensors on it follow."""
        self._untyped_storage.share_memory_()
        return self

    def _new_shared(self, size: int, *, device: Any = None) -> TypedStorage:
        memory = UntypedStorage._new_shared(size * self.dtype.itemsize)
        return TypedStorage(wrap_storage=memory, dtype=self.dtype)

    _is_shared, _share_memory_, _resize_ = is_shared, share_memory_, resize_

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of its kind, such as `torch.FloatStorage`."""
        if dtype is not None:
            return self._untyped_storage.type(dtype)
        found = KINDS.get(self.dtype)
        return "torch.storage.TypedStorage" if found is None else f"torch.{found.__name__}"

    def pickle_storage_type(self) -> str:
        """The name of its kind in files, such as `FloatStorage`."""
        if self.dtype not in KINDS:
            raise KeyError(f"dtype {self.dtype} is not recognized")
        return KINDS[self.dtype].__name__

    _pickle_storage_type = pickle_storage_type

    @classmethod
    def from_buffer(cls, *args: Any, **options: Any) -> TypedStorage:
        """A copy of the elements in a buffer; `dtype=` says which, but for the kinds that know it."""
        kind = options.pop("dtype", None) if cls is TypedStorage else cls.dtype
        if kind is None:
            kind = dtypes.default
        if "device" in options:
            check_device(options.pop("device"))
        return TypedStorage(wrap_storage=UntypedStorage.from_buffer(*args, dtype=kind, **options), dtype=kind)

    _from_buffer = from_buffer

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, size: int = 0) -> TypedStorage:
        """The first elements of a file as memory; of the kinds such as `FloatStorage`, which know their dtype."""
        if cls is TypedStorage:
            raise RuntimeError("from_file can only be called on derived classes, such as torch.FloatStorage")
        memory = UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize)
        return TypedStorage(wrap_storage=memory, dtype=cls.dtype)


def plain(found: Any) -> Any:
    """Elements as Python numbers; bfloat16 has none of its own."""
    return (found.astype(np.float32) if found.dtype.isbuiltin == 2 else found).tolist()


def wrapped(storage: UntypedStorage, kind: dtypes.dtype) -> TypedStorage:
    """A storage out of a pickle."""
    return TypedStorage(wrap_storage=storage, dtype=kind)


def typed(memory: np.ndarray) -> TypedStorage:
    """The storage whose memory is this array."""
    return TypedStorage(wrap_storage=on_block(memory), dtype=dtypes.from_numpy(memory.dtype))


def checked_untyped(storage: Any, name: str) -> UntypedStorage:
    if not isinstance(storage, UntypedStorage):
        raise TypeError(f"{name} {FORMS}. Argument 'wrap_storage' must be UntypedStorage, but got {type(storage)}")
    return storage


def first_elements(args: tuple, kind: dtypes.dtype, name: str) -> np.ndarray:
    """The memory of `FloatStorage(...)`: so many elements, or a sequence of them."""
    if len(args) > 1:
        raise RuntimeError(f"{name} {FORMS}. Too many positional arguments")
    given = args[0] if args else 0
    if isinstance(given, int) and not isinstance(given, bool):
        return UntypedStorage(given * kind.itemsize)._memory.view(kind.numpy)
    if isinstance(given, str):
        raise TypeError("new(): invalid data type 'str'")
    if not isinstance(given, Sequence):
        raise TypeError(f"{name} {FORMS}. Argument type not recognized: {type(given)}")
    return np.array(given).astype(kind.numpy) if len(given) else np.empty(0, kind.numpy)


class _LegacyStorageMeta(type):
    """The type of `FloatStorage` and kin, whose instances are the typed storages of their dtype."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, value: object) -> bool:
        return type(value) is TypedStorage and value.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


class _LegacyStorage(TypedStorage, metaclass=_LegacyStorageMeta):
    """What `FloatStorage` and kin have in common: each makes typed storages of one dtype."""

    def __new__(
        cls,
        *args: Any,
        wrap_storage: Any = None,
        dtype: Any = None,
        device: Any = None,
        _internal: bool = False,
    ) -> Any:
        if cls is _LegacyStorage:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        name = f"{cls}.__new__"
        for each, value in (("dtype", dtype), ("device", device), ("_internal", _internal or None)):
            if value is not None:
                raise RuntimeError(f"{name} {FORMS}. Keyword argument '{each}' cannot be specified")
        if wrap_storage is None:
            return typed(first_elements(args, cls.dtype, name))
        if args:
            raise RuntimeError(f"{name} {FORMS}. No positional arguments should be given when using 'wrap_storage'")
        return TypedStorage(wrap_storage=checked_untyped(wrap_storage, name), dtype=cls.dtype)


def kind_of_storage(kind: dtypes.dtype) -> Any:
    """The class that makes the storages of a dtype."""
    fields = {"__doc__": f"Storages of {kind.name}.", "__module__": "rushlight.storage", "dtype": kind}
    return _LegacyStorageMeta(f"{kind.scalar}Storage", (_LegacyStorage,), fields)


KINDS = {each: kind_of_storage(each) for each in LEGACY}
# where pickles find it
TypedStorage.__module__ = "rushlight.storage"


def converting(kind: dtypes.dtype) -> Any:
    """A method that converts the elements to a dtype."""

    def convert(self: TypedStorage) -> TypedStorage:
        with np.errstate(all="ignore"):
            return typed(self._memory.astype(kind.numpy))

    convert.__doc__ = f"Its elements as {kind.name}, in a storage of their own."
    return convert


for _kind in LEGACY:
    setattr(TypedStorage, CONVERSIONS.get(_kind, _kind.scalar.lower()), converting(_kind))
