"""`torch.storage`: the storages, by the names that programs import them with."""

from __future__ import annotations

import io
from typing import Any

from rushlight.core.creation.options import finish_into, numpy_dtype
from rushlight.core.memory.mapping import map_file
from rushlight.core.memory.public_storage import StorageBase, UntypedStorage
from rushlight.core.memory.typed_storage import KINDS, TypedStorage
from rushlight.core.memory.typed_storage import _LegacyStorage as _LegacyStorage
from rushlight.core.memory.typed_storage import _LegacyStorageMeta as _LegacyStorageMeta
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor

__all__ = ["TypedStorage", "UntypedStorage"]

_StorageBase = StorageBase

BFloat16Storage = KINDS[dtypes.bfloat16]
BoolStorage = KINDS[dtypes.bool_]
ByteStorage = KINDS[dtypes.uint8]
CharStorage = KINDS[dtypes.int8]
ComplexDoubleStorage = KINDS[dtypes.complex128]
ComplexFloatStorage = KINDS[dtypes.complex64]
DoubleStorage = KINDS[dtypes.float64]
FloatStorage = KINDS[dtypes.float32]
HalfStorage = KINDS[dtypes.float16]
IntStorage = KINDS[dtypes.int32]
LongStorage = KINDS[dtypes.int64]
ShortStorage = KINDS[dtypes.int16]
Storage = FloatStorage


def from_file(
    filename: str,
    shared: bool | None = None,
    size: int | None = 0,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor whose memory is a file; what is written goes into the file if it is `shared`.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     torch.from_file(os.path.join(folder, "numbers"), shared=True, size=3).fill_(2)
    tensor([2., 2., 2.])
    """
    kind = numpy_dtype(dtype)
    memory = map_file(filename, bool(shared), (size or 0) * kind.itemsize)
    return finish_into(memory.view(kind), None, dtype, device, layout, pin_memory, requires_grad)


def _load_from_bytes(b: bytes) -> Any:
    """The object that was saved into the bytes; of a pickle, which is trusted as a whole or not at all."""
    from rushlight.serialization import load

    return load(io.BytesIO(b), weights_only=False)


def _dtype_to_storage_type_map() -> dict[dtypes.dtype, str]:
    return {kind: each.__name__ for kind, each in KINDS.items()}


def _storage_type_to_dtype_map() -> dict[str, dtypes.dtype]:
    return {each.__name__: kind for kind, each in KINDS.items()}


def _new_dtypes() -> set[dtypes.dtype]:
    """The dtypes that have no kind of storage of their own."""
    return {each for each in dtypes.ALL if each not in KINDS}


def _get_dtype_from_pickle_storage_type(pickle_storage_type: str) -> dtypes.dtype:
    found = _storage_type_to_dtype_map().get(pickle_storage_type)
    if found is None:
        raise KeyError(f'pickle storage type "{pickle_storage_type}" is not recognized')
    return found


def _warn_typed_storage_removal(stacklevel: int = 2) -> None:
    """Nothing: typed storages stay here."""
