"""Options of saving and loading: order of bytes, checksums, mapped files, files without their numbers."""

from __future__ import annotations

import mmap
import threading
from enum import Enum
from typing import Any

from rushlight.utils.serialization import config

MAP_PRIVATE, MAP_SHARED = getattr(mmap, "MAP_PRIVATE", None), getattr(mmap, "MAP_SHARED", None)


class ThreadOptions(threading.local):
    """What holds in one thread while it saves or loads."""

    map_location: Any = None
    skip_data = False
    materialize_fake_tensors = False


_serialization_tls = ThreadOptions()


class LoadEndianness(Enum):
    """The order of bytes in files that do not say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


def get_default_load_endianness() -> LoadEndianness | None:
    """The order of bytes that is taken for that of files which do not say theirs; None means little."""
    return config.load.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Say in which order the bytes of files are that do not say it themselves."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness: give a LoadEndianness, or None")
    config.load.endianness = endianness


def get_crc32_options() -> bool:
    """Whether files get checksums, and whether those of a file are looked at."""
    return config.save.compute_crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Say whether files get checksums, and whether those of a file are looked at."""
    config.save.compute_crc32 = compute_crc32


def get_default_mmap_options() -> int | None:
    """How `load(mmap=True)` maps a file: `mmap.MAP_PRIVATE` or `mmap.MAP_SHARED`."""
    return config.load.mmap_flags


class set_default_mmap_options:
    """Say how `load(mmap=True)` maps a file, for good or for a with statement.

    Under `mmap.MAP_SHARED` what is written to a loaded tensor goes into the file; it is `mmap.MAP_PRIVATE` otherwise.
    """

    def __init__(self, flags: int) -> None:
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, "
                f"but got {flags}"
            )
        self.prev = config.load.mmap_flags
        config.load.mmap_flags = flags

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        config.load.mmap_flags = self.prev


class skip_data:
    """For a with statement: files are saved with room for the numbers in place of them, and loaded without them."""

    def __init__(self, materialize_fake_tensors: bool = False):
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        local = _serialization_tls
        self.before = local.skip_data, local.materialize_fake_tensors
        local.skip_data, local.materialize_fake_tensors = True, self.materialize_fake_tensors

    def __exit__(self, *exception: object) -> None:
        _serialization_tls.skip_data, _serialization_tls.materialize_fake_tensors = self.before
