"""Mapping: files as memory, and the bytes of a buffer as a storage's."""

from __future__ import annotations

import mmap
import os
import sys
from typing import Any

import numpy as np

from rushlight.core.numbers import dtypes

BYTE_ORDERS = ("native", "little", "big")


class Mapping(mmap.mmap):
    """The memory of a file; `filename` where other processes see what is written."""

    filename: str | None = None


def map_file(filename: Any, shared: bool, length: int) -> np.ndarray:
    """The first `length` bytes of a file as memory.

    What is written goes into the file if it is `shared`, which then is made or made longer as needed; else it stays
    with this process.
    """
    path = os.fsdecode(os.fspath(filename))
    if length < 0:
        raise RuntimeError(f"a file cannot be mapped to {length} bytes of memory")
    mode, flags = ("read-write", os.O_RDWR | os.O_CREAT) if shared else ("read-only", os.O_RDONLY)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        raise RuntimeError(f"unable to open file <{path}> in {mode} mode: {error.strerror} ({error.errno})") from None
    try:
        return mapped(descriptor, path, shared, length)
    finally:
        os.close(descriptor)


def mapped(descriptor: int, path: str, shared: bool, length: int) -> np.ndarray:
    held = os.fstat(descriptor).st_size
    if not length:
        return np.empty(0, np.uint8)
    if held < length:
        if not shared:
            raise RuntimeError(f"file <{path}> size <{held}> is smaller than the required mapping size <{length}>")
        os.ftruncate(descriptor, length)
    access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
    try:
        memory = Mapping(descriptor, length, access=access)
    except OSError as error:
        raise RuntimeError(
            f"unable to mmap {length} bytes from file <{path}>: {error.strerror} ({error.errno})"
        ) from None
    if shared:
        memory.filename = path
    return np.frombuffer(memory, np.uint8)


def owner_of(array: np.ndarray) -> Any:
    """The object whose memory an array is: the last of the views and buffers it was made from."""
    found: Any = array
    while True:
        if isinstance(found, np.ndarray) and found.base is not None:
            found = found.base
        elif isinstance(found, memoryview) and found.obj is not None:
            found = found.obj
        else:
            return found


def buffer_bytes(buffer: Any, byte_order: str | None, count: int, offset: int, kind: dtypes.dtype | None) -> np.ndarray:
    """A copy of the elements in a buffer, as bytes in this machine's order."""
    if kind is None:
        raise RuntimeError("argument 'dtype' cannot be None")
    size, length = kind.itemsize, memoryview(buffer).nbytes
    if byte_order is None:
        if size > 1 or kind is dtypes.bool_:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        byte_order = "native"
    if size > 1 and byte_order not in BYTE_ORDERS:
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    if not 0 <= offset <= length:
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({offset}) , but got {length}")
    if count < 0:
        if (length - offset) % size:
            raise ValueError(f"buffer size ({length}) must be a multiple of element size ({size})")
        count = (length - offset) // size
    elif count * size > length - offset:
        held = (length - offset) // size
        raise ValueError(f"buffer has only {held} elements after offset {offset}, but specified a size of {count}")
    found = np.frombuffer(buffer, np.uint8, count * size, offset).copy() if count else np.empty(0, np.uint8)
    if byte_order not in ("native", sys.byteorder):
        swap_bytes(found, kind)
    return (found != 0).view(np.uint8) if kind is dtypes.bool_ else found


def swap_bytes(memory: np.ndarray, kind: dtypes.dtype) -> None:
    """Turn round the bytes of each element, in place; of each part of a complex one."""
    size = kind.to_real().itemsize
    if memory.size % kind.itemsize:
        raise RuntimeError(f"the length of data is not a multiple of {kind.itemsize}")
    if size > 1 and memory.size:
        rows = memory.reshape(-1, size)
        rows[...] = rows[:, ::-1].copy()
