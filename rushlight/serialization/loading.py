"""Loading: an object out of a file that Rushlight or PyTorch saved."""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

import numpy as np

from rushlight.core.memory.capacity import new_bytes
from rushlight.core.memory.mapping import map_file, swap_bytes
from rushlight.core.memory.public_storage import UntypedStorage, on_block
from rushlight.core.memory.typed_storage import TypedStorage
from rushlight.core.numbers import dtypes
from rushlight.errors.warning import warn
from rushlight.serialization import legacy
from rushlight.serialization.archive import NO_COMPRESSION, Archive, Source, broken
from rushlight.serialization.constructors import NotAllowed, StorageType
from rushlight.serialization.helpers import _is_zipfile, _maybe_decode_ascii, _open_file_like
from rushlight.serialization.interpreter import Interpreter
from rushlight.serialization.locations import restorer
from rushlight.serialization.options import (
    MAP_SHARED,
    LoadEndianness,
    _serialization_tls,
    get_default_load_endianness,
    get_default_mmap_options,
)
from rushlight.serialization.replacing import is_path
from rushlight.serialization.trusted import trusted_unpickler
from rushlight.utils.serialization import config

TRUE = ("1", "y", "yes", "true")
UNSAFE = (
    "With `weights_only=False` the file is unpickled by Python: whoever wrote it then runs any code on this machine. "
    "Do that only if you trust the source of the file"
)


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Load an object that `torch.save` saved, from a path or a stream that can be read from any place.

    With `weights_only`, which is the default, nothing in the file is executed: tensors, parameters, numbers, texts and
    their containers are read, and what `add_safe_globals` allows; anything else is refused. With
    `weights_only=False` the file is unpickled: whoever wrote it can run any code on this machine, so do that for files
    of your own only.

    `map_location` says where storages are to be: the CPU, since there is no other device. With `mmap=True` the
    numbers stay in the file until they are read.
    """
    safely = is_safe(weights_only, pickle_module)
    if safely and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if pickle_load_args and safely:
        warn("pickle_load_args only works if `weights_only=False`.")
    pickle_load_args.setdefault("encoding", "utf-8")
    mapped = config.load.mmap if mmap is None else mmap
    if is_path(f) and os.fsdecode(os.fspath(f)).endswith(".safetensors"):
        from rushlight.serialization.safetensors_files import load_safetensors

        return load_safetensors(os.fsdecode(os.fspath(f)), map_location)
    read = safe_reader if safely else trusted_unpickler(pickle_module or pickle, pickle_load_args)
    before, _serialization_tls.map_location = _serialization_tls.map_location, map_location
    try:
        with _open_file_like(f if is_path(f) else checked_stream(f), "rb") as file:
            return load_from(file, f, map_location, mapped, safely, read)
    except UnpicklingError as error:
        if safely:
            raise refusal(error) from error
        raise
    finally:
        _serialization_tls.map_location = before


def is_safe(weights_only: bool | None, pickle_module: Any) -> bool:
    """Whether nothing of the file may be executed, as the call and the environment say."""
    force, forbid = [
        os.getenv(name, "0").lower() in TRUE
        for name in ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    ]
    if force and forbid:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both "
            "were set."
        )
    if force:
        return True
    if weights_only is not None:
        return bool(weights_only)
    if forbid:
        warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
            "explicitly passed to `torch.load`, forcing weights_only=False."
        )
        return False
    return pickle_module is None


def checked_stream(file: Any) -> Any:
    """A stream that can be read from any place."""
    try:
        file.seek(file.tell())
    except (AttributeError, io.UnsupportedOperation) as error:
        raise type(error)(
            f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data into a buffer "
            "like io.BytesIO and try to load from it instead."
        ) from None
    return file


def load_from(file: Any, f: Any, map_location: Any, mapped: bool, safely: bool, read: Callable) -> Any:
    if isinstance(file.read(0), str):
        raise AssertionError("Expected bytes, got str: open the file with mode 'rb'")
    if not _is_zipfile(file):
        if mapped:
            raise RuntimeError(
                "mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization=True), please "
                "torch.save your checkpoint with this option in order to use mmap."
            )
        return legacy.read(file, map_location, read, safely)
    if mapped and not is_path(f):
        raise ValueError("f must be a file path in order to use the mmap argument")
    archive = Archive(Source(file))
    if "constants.pkl" in archive:
        raise RuntimeError(
            "the file is a TorchScript archive, which Rushlight does not run: save the state_dict() of the module from "
            "torch, and load that"
        )
    storages = ArchiveStorages(archive, map_location, os.fspath(f) if mapped else None)
    return read(archive.read("data.pkl"), 0, storages.find)[0]


def safe_reader(data: Any, place: int, storage_of: Callable[[Any], Any]) -> tuple[Any, int]:
    """Read one pickle with the table of constructors; the object, and where the pickle ends."""
    interpreter = Interpreter(data, place, storage_of)
    return interpreter.load(), interpreter.place


def refusal(error: UnpicklingError) -> UnpicklingError:
    """The error of a file that is not loaded with `weights_only=True`, with what can be done."""
    if isinstance(error, NotAllowed):
        return UnpicklingError(
            "Weights only load failed. This file can still be loaded, to do so you have two options, do those steps "
            f"only if you trust the source of the checkpoint. \n\t(1) {UNSAFE}.\n\t(2) Alternatively, stay with "
            f"`weights_only=True` and allow the name.\n\tWeightsUnpickler error: {error}"
        )
    return UnpicklingError(f"Weights only load failed. {UNSAFE}.\n\n{error}")


class ArchiveStorages:
    """The storages of an archive, each loaded once, when the pickle first refers to it."""

    def __init__(self, archive: Archive, map_location: Any, mapped: str | None):
        self.archive = archive
        self.restore = restorer(map_location)
        self.loaded: dict[str, TypedStorage] = {}
        self.swaps = file_order(archive) != sys.byteorder
        self.memory: np.ndarray | None = None
        if mapped is not None:
            shared = get_default_mmap_options() == MAP_SHARED
            self.memory = map_file(mapped, shared, archive.source.size)

    def find(self, reference: Any) -> TypedStorage:
        """The storage that a pickle refers to."""
        kind, key, location, count = read_reference(reference, 5)
        if key in self.loaded:
            return self.loaded[key]
        storage = on_block(self.block(kind, key, count))
        storage._part = self.memory is not None
        placed = self.restore(storage, location)
        made = TypedStorage(wrap_storage=placed.untyped(), dtype=kind)
        if storage.nbytes():
            # memory of no bytes is nobody's, and may be meant as several dtypes
            self.loaded[key] = made
        return made

    def block(self, kind: dtypes.dtype, key: str, count: int) -> np.ndarray:
        """The memory of a storage, with its record's bytes in it."""
        name, size = f"data/{key}", count * kind.itemsize
        record = self.archive.record(name)
        if record.size != size:
            raise broken(f"record {name!r} has {record.size} bytes where the pickle says {size}")
        if _serialization_tls.skip_data:
            # no memory is touched until somebody writes to it
            return np.zeros(count, kind.numpy)
        if self.memory is not None and record.method == NO_COMPRESSION:
            start = self.archive.place_of(name)
            found = self.memory[start : start + size]
            if start % kind.itemsize == 0 and not self.swaps:
                return found.view(kind.numpy)
            memory = found.copy()
        else:
            memory = new_bytes(size)
            if size:
                self.archive.read_into(name, memory)
        if self.swaps:
            swap_bytes(memory, kind)
        return memory.view(kind.numpy)


def file_order(archive: Archive) -> str:
    """The order of bytes in an archive: 'little' or 'big'."""
    if "byteorder" in archive:
        found = archive.read("byteorder")
        if found not in (b"little", b"big"):
            raise ValueError(f"Unknown endianness type: {found[:20]!r}")
        return found.decode()
    chosen = get_default_load_endianness()
    if chosen is LoadEndianness.BIG:
        return "big"
    return sys.byteorder if chosen is LoadEndianness.NATIVE else "little"


def read_reference(reference: Any, length: int) -> tuple[dtypes.dtype, str, str, int]:
    """The dtype, the key, the place and the number of elements of a storage that a pickle refers to."""
    if type(reference) is not tuple or len(reference) != length:
        raise UnpicklingError("a file refers to storages only, by five or six things about each")
    name, kind, key, location, count = [_maybe_decode_ascii(each) for each in reference[:5]]
    if name != "storage":
        raise UnpicklingError("Only persistent_load of storage is allowed")
    dtype = dtypes.uint8 if kind is UntypedStorage else getattr(kind, "dtype", None)
    if not isinstance(dtype, dtypes.dtype) or not (kind is UntypedStorage or is_kind(kind)):
        raise UnpicklingError("a file refers to a storage of an unknown kind")
    if type(key) is not str or type(location) is not str or type(count) is not int or not 0 <= count < 2**60:
        raise UnpicklingError("a file refers to a storage by a key, a place and a number of elements")
    return dtype, key, location, count


def is_kind(kind: Any) -> bool:
    return isinstance(kind, StorageType) or (isinstance(kind, type) and issubclass(kind, TypedStorage))
