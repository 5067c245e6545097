"""Shared memory: blocks that several processes see, and tensors that move into them.

A block is a file without a name, so that nothing is left behind whoever is killed: the system frees it with the last
descriptor and the last mapping. Other processes inherit it, or are given its descriptor.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from sys import getrefcount
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np

from rushlight.core.memory.deferred import alike, raw
from rushlight.core.memory.living import living_tensors
from rushlight.core.memory.storage import Storage
from rushlight.core.memory.strides import memory_extent
from rushlight.core.object.tensor import Tensor, storage_of

# what Linux calls the memory, in /proc/<process>/maps
NAME = "rushlight"
# bytes up to which a block is mapped with all its pages
AHEAD = 1 << 26
# holders of an array that only one tensor has: the tensor, the local variable and the question itself
ALONE = 3


def system() -> Any:
    """mmap and munmap of the C library: Python's own mmap keeps a second descriptor for each block."""
    import ctypes

    if not hasattr(os, "register_at_fork"):
        raise RuntimeError("share_memory_() needs a system with mmap, such as Linux or macOS")
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_ssize_t]
    library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return library


class Block:
    """Memory that is mapped here and that others map too: a descriptor, an address and a number of bytes."""

    library: Any = None
    address = 0
    # those of this process, by what the system calls their file
    known: ClassVar[WeakValueDictionary[tuple[int, int], Block]] = WeakValueDictionary()

    def __init__(self, descriptor: int, size: int):
        import ctypes
        import mmap

        self.descriptor, self.size = descriptor, size
        if Block.library is None:
            Block.library = system()
        self.unmap, self.close = Block.library.munmap, os.close
        rights = mmap.PROT_READ | mmap.PROT_WRITE
        # all pages at once: a batch of 786 KB is sent and read in 0.8 ms, against 0.93 when each is found missing
        ahead = getattr(mmap, "MAP_POPULATE", 0) if size <= AHEAD else 0
        found = Block.library.mmap(None, max(size, 1), rights, mmap.MAP_SHARED | ahead, descriptor, 0)
        if found is None or found == ctypes.c_void_p(-1).value:
            raise RuntimeError(f"unable to mmap {size} bytes of shared memory: {os.strerror(ctypes.get_errno())}")
        self.address = found
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (found, False)}
        self.known[file_of(descriptor)] = self

    def __del__(self) -> None:
        if self.address:
            self.unmap(self.address, max(self.size, 1))
        self.close(self.descriptor)


def file_of(descriptor: int) -> tuple[int, int]:
    """What the system calls the file behind a descriptor."""
    found = os.fstat(descriptor)
    return found.st_dev, found.st_ino


def block_behind(descriptor: int, size: int) -> Block:
    """The block that a descriptor stands for, which this process may have already; the descriptor is taken over."""
    found = Block.known.get(file_of(descriptor))
    if found is None:
        return Block(descriptor, size)
    if found.descriptor != descriptor:
        os.close(descriptor)
    return found


def raw_file(name: str) -> int:
    """The descriptor of an empty file that has no name and never had one that stays."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name)
    import tempfile

    descriptor, path = tempfile.mkstemp(prefix=name)
    os.unlink(path)
    return descriptor


def new_file(size: int) -> int:
    """A file of so many bytes."""
    descriptor = raw_file(NAME)
    try:
        os.ftruncate(descriptor, max(size, 1))
        if hasattr(os, "posix_fallocate"):
            # memory that is promised only would kill whoever writes to it when there is no more
            os.posix_fallocate(descriptor, 0, max(size, 1))
    except OSError as error:
        os.close(descriptor)
        raise RuntimeError(f"unable to allocate {size} bytes of shared memory: {error}") from error
    return descriptor


def memory_of(block: Block, kind: np.dtype) -> np.ndarray:
    """All numbers of a block, in the order of memory."""
    return np.asarray(block).view(kind)


def new_shared(count: int, kind: Any) -> np.ndarray:
    """Fresh shared memory for so many numbers: zeros."""
    kind = np.dtype(kind)
    size = count * kind.itemsize
    return memory_of(Block(new_file(size), size), kind)


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array at the end of a chain of views."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def block_of(array: np.ndarray) -> Block | None:
    """The shared block that an array lies in."""
    found = owner_of(array).base
    return found if isinstance(found, Block) else None


def is_shared(tensor: Tensor) -> bool:
    """Whether a tensor's memory is shared between processes."""
    return block_of(tensor._array) is not None


def share_storage(storage: Storage) -> Block:
    """Move a storage into shared memory, with every tensor on it; nothing if it is there already."""
    found = block_of(storage.array)
    if found is not None:
        return found
    old = storage.array
    start, extent = old.__array_interface__["data"][0], memory_extent(old)
    shared = new_shared(extent, old.dtype)
    shared[...] = flat(old, extent)
    storages = [storage]
    for tensor in tensors_on(storage, start, extent * old.itemsize):
        tensor._array = alike(tensor._array, placed(raw(tensor._array), start, shared))
        storages.append(tensor._storage)
    # one array for all, and the public object of the old one follows: that is how it is told who shares memory
    block = placed(old, start, shared)
    for each in storages:
        if each is not None:
            each.array = block
    follow(old, block)
    register_reductions()
    return owner_of(shared).base  # type: ignore[return-value]


def follow(old: np.ndarray, block: np.ndarray) -> None:
    """Let the storage that somebody holds go on with the new memory."""
    public = sys.modules.get("rushlight.core.memory.public_storage")
    held = None if public is None else public.HELD.get(id(old))
    if public is not None and held is not None and held._block is old:
        public.set_block(held, block)


def share(tensor: Tensor) -> None:
    """Move a tensor's storage into shared memory in place: `Tensor.share_memory_`."""
    array = tensor._array
    if block_of(array) is not None:
        return
    if not is_alone(tensor, array):
        share_storage(storage_of(tensor))
        return
    extent = memory_extent(array)
    shared = new_shared(extent, array.dtype)
    shared[...] = flat(array, extent)
    tensor._array = placed(array, array.__array_interface__["data"][0], shared)
    # with a storage it is nobody's to lay elsewhere, as optimizers do with small arrays of theirs
    storage_of(tensor).array = tensor._array
    follow(array, tensor._array)
    register_reductions()


def is_alone(tensor: Tensor, array: np.ndarray) -> bool:
    """Whether nobody else holds a tensor's memory, so that there is no need to look for those who do."""
    storage, holders = tensor._storage, ALONE
    if storage is not None:
        if storage.array is not array or getrefcount(storage) > ALONE:
            return False
        holders += 1
    # the caller has a name for the array, too
    return type(array) is np.ndarray and array.base is None and getrefcount(array) == holders + 1


def register_reductions() -> None:
    """Let Python's own queues and pipes hand over descriptors, too, once there is something to share."""
    import_module("rushlight.multiprocessing.reductions")


def flat(array: np.ndarray, extent: int) -> np.ndarray:
    """The memory from an array's first to its last number."""
    return np.lib.stride_tricks.as_strided(array, (extent,), (array.itemsize,))


def placed(array: np.ndarray, start: int, shared: np.ndarray) -> np.ndarray:
    """The place of an array in memory that began at `start`, in the shared memory that has its contents."""
    place = array.__array_interface__["data"][0] - start
    if not array.size:
        place = min(place, shared.nbytes)
    return np.ndarray(array.shape, array.dtype, shared, place, array.strides)


def tensors_on(storage: Storage, start: int, size: int) -> list[Tensor]:
    """The tensors whose memory this is, those with a storage of their own (`x.data`) among them."""
    return [each for each in living_tensors() if lies_on(each, storage, start, size)]


def lies_on(tensor: Tensor, storage: Storage, start: int, size: int) -> bool:
    own = tensor._storage
    if own is storage:
        return True
    memory = raw(tensor._array) if own is None else own.array
    if type(memory) is not np.ndarray or not size or memory.__array_interface__["data"][0] != start:
        return False
    return memory_extent(memory) * memory.itemsize == size
