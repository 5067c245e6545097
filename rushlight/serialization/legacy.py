"""The older format: pickles one after the other, then the storages. It is written on request, and read."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from struct import calcsize, pack, unpack_from
from typing import Any

import numpy as np

from rushlight.core.memory.mapping import swap_bytes
from rushlight.core.memory.public_storage import UntypedStorage, on_block
from rushlight.core.memory.typed_storage import TypedStorage
from rushlight.serialization.archive_writer import write_all
from rushlight.serialization.helpers import _maybe_decode_ascii
from rushlight.serialization.locations import restorer
from rushlight.serialization.options import _serialization_tls
from rushlight.serialization.pickler import Storages, pickled

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001
# what a tar archive has at this place, which is the oldest format of all
TAR_PLACE, TAR_MAGIC = 257, b"ustar"
# bytes in which the first number stands, and more than enough
HEAD = 512


def write(obj: Any, file: Any, module: Any, protocol: int) -> None:
    """Write an object and its storages."""
    sizes = {name: calcsize(f"={code}") for name, code in (("short", "h"), ("int", "i"), ("long", "l"))}
    system = {
        "protocol_version": PROTOCOL_VERSION,
        "little_endian": sys.byteorder == "little",
        "type_sizes": sizes,
    }
    references = LegacyReferences()
    data = pickled(obj, module, protocol, references.identify)
    for each in (MAGIC_NUMBER, PROTOCOL_VERSION, system):
        write_all(file, pickle.dumps(each, protocol))
    write_all(file, data)
    keys = sorted(references.storages.held)
    write_all(file, pickle.dumps(keys, protocol))
    for key in keys:
        storage, kind = references.storages.held[key]
        write_all(file, pack("<q", storage.nbytes() // kind.itemsize))
        memory = storage._memory
        if sys.byteorder == "big":
            memory = memory.copy()
            swap_bytes(memory, kind)
        write_all(file, memory.data if memory.size else b"")
    if hasattr(file, "flush"):
        file.flush()


class LegacyReferences:
    """What stands for storages, and for the classes of modules, of which older versions kept the source."""

    def __init__(self) -> None:
        self.storages = Storages()

    def identify(self, found: Any) -> tuple | None:
        reference = self.storages.identify(found)
        return None if reference is None else (*reference, None)


def read(file: Any, map_location: Any, unpickle: Callable, safely: bool) -> Any:
    """Read an object and its storages from a file that begins here."""
    start = file.tell()
    check_beginning(file.read(HEAD), unpickle)
    # only now, when it is a file of tensors: all of it is read
    file.seek(start)
    data = file.read()
    storages = StreamStorages(map_location, len(data))
    _, place = unpickle(data, 0, no_storage)
    version, place = unpickle(data, place, no_storage)
    if version != PROTOCOL_VERSION:
        shown = version if type(version) is int else type(version).__name__
        raise RuntimeError(f"Invalid protocol version: {shown}")
    system, place = unpickle(data, place, no_storage)
    result, place = unpickle(data, place, storages.find)
    keys, place = unpickle(data, place, no_storage)
    little = not isinstance(system, dict) or system.get("little_endian") is not False
    place = storages.fill(data, place, keys, "little" if little else "big")
    # where the next object begins, if several stand in one stream
    file.seek(start + place)
    return result


def check_beginning(head: bytes, unpickle: Callable) -> None:
    """Refuse a file that does not begin with the number of this format."""
    if head[TAR_PLACE : TAR_PLACE + 5] == TAR_MAGIC:
        raise RuntimeError(
            "the file has the .tar format of PyTorch before 0.1.10, which is not read: load it with torch, "
            "weights_only=False, and save it anew"
        )
    found, _ = unpickle(head, 0, no_storage)
    if found != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")


def no_storage(reference: Any) -> Any:
    raise pickle.UnpicklingError("a file refers to a storage where there is none")


class StreamStorages:
    """The storages of a stream: first the pickle says how large they are, then the stream what is in them."""

    def __init__(self, map_location: Any, left: int):
        self.restore = restorer(map_location)
        # bytes that the stream may still hold
        self.left = left
        self.loaded: dict[str, TypedStorage] = {}
        self.places: dict[str, UntypedStorage] = {}

    def find(self, reference: Any) -> Any:
        from rushlight.serialization.loading import read_reference

        if isinstance(reference, tuple) and reference and _maybe_decode_ascii(reference[0]) == "module":
            return module_class(reference)
        kind, key, location, count = read_reference(reference, 6)
        view = reference[5]
        if view is not None:
            raise pickle.UnpicklingError("a storage that is a view of another one is not read: save the file anew")
        if key not in self.loaded:
            self.left -= count * kind.itemsize
            if self.left < 0:
                raise RuntimeError(f"unexpected EOF, expected {-self.left} more bytes. The file might be corrupted.")
            storage = on_block(np.zeros(count, kind.numpy))
            self.places[key] = storage
            placed = self.restore(storage, location)
            self.loaded[key] = TypedStorage(wrap_storage=placed.untyped(), dtype=kind)
        return self.loaded[key]

    def fill(self, data: bytes, place: int, keys: Any, order: str) -> int:
        """Put the numbers into the storages, in the order of the keys; where the last one ends."""
        if type(keys) is not list or sorted(map(str, keys)) != sorted(self.places):
            raise RuntimeError("the file does not hold the storages that it refers to")
        for key in keys:
            storage, kind = self.places[key], self.loaded[key].dtype
            if place + 8 > len(data):
                raise RuntimeError("unexpected EOF. The file might be corrupted.")
            (count,) = unpack_from("<q" if order == "little" else ">q", data, place)
            size = storage.nbytes()
            if count * kind.itemsize != size:
                raise RuntimeError(f"storage has wrong byte size: expected {size} got {count * kind.itemsize}")
            place += 8
            if place + size > len(data):
                missing = place + size - len(data)
                raise RuntimeError(f"unexpected EOF, expected {missing} more bytes. The file might be corrupted.")
            if not _serialization_tls.skip_data and size:
                storage._memory[...] = np.frombuffer(data, np.uint8, size, place)
                if order != sys.byteorder:
                    swap_bytes(storage._memory, kind)
            place += size
        return place


def module_class(reference: tuple) -> Any:
    """The class of a module, of which older versions saved the source; only trusted files get here with one."""
    from rushlight.nn.modules.module import Module

    if len(reference) != 4 or not (isinstance(reference[1], type) and issubclass(reference[1], Module)):
        raise pickle.UnpicklingError("a file refers to a class that is none of a module")
    return reference[1]
