"""Memory: writes that no count of a tensor sees, through `.data` and through NumPy arrays on the same memory."""

from __future__ import annotations

import functools
import weakref
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rushlight.autograd.graph import sequence
from rushlight.core.memory.storage import SharedCount
from rushlight.core.object.tensor import Tensor, storage_of
from rushlight.core.surface.overriding import modes
from rushlight.doctor.checksums import checksum
from rushlight.doctor.events import ArraysJoined
from rushlight.doctor.places import user_line
from rushlight.errors.location import Location

if TYPE_CHECKING:
    from rushlight.doctor.observer.observer import Observer

# functions whose result may lie on an array's memory, and those that show a tensor's memory to NumPy
FROM_ARRAYS = {"from_numpy", "as_tensor", "asarray", "tensor", "Tensor", "FloatTensor", "DoubleTensor"}
TO_ARRAYS = {"numpy", "__array__"}
MAY_SHARE = FROM_ARRAYS | TO_ARRAYS
JOINING = ("stack", "array", "concatenate", "vstack")
# so many of the last writes and guarded values are remembered, and arrays of up to so many bytes
KEPT = 256
LARGEST = 1 << 22


class Write(NamedTuple):
    """A write through `.data`: its bytes, the newest node then, its line."""

    bounds: tuple[int, int]
    number: int
    place: Location | None


class Guarded(NamedTuple):
    """Memory that NumPy can see while nodes up to `number` may need it; what nobody needs any more dies."""

    array: weakref.ref
    storage: weakref.ref
    version: int
    sum: Any
    number: int
    place: Location | None


class DataCount(SharedCount):
    """The count of a `.data`: its own, as in torch, but what is written is noted."""

    def __init__(self, memory: Memory, storage: Any, origin: Tensor):
        super().__init__()
        self.add(storage)
        self.memory = weakref.ref(memory)
        self.origin = weakref.ref(origin)

    def __call__(self, storage: Any) -> None:
        super().__call__(storage)
        memory = self.memory()
        if memory is not None:
            memory.writes.append(Write(bounds_of(storage.array), next(sequence), storage.writer))


class Changes:
    """What one array held each time the program made a tensor of it."""

    __slots__ = ("count", "sum")

    def __init__(self, sum: Any):
        self.sum = sum
        self.count = 0


class Memory:
    """What was written through `.data`, and which memory NumPy can see."""

    def __init__(self) -> None:
        self.writes: deque[Write] = deque(maxlen=KEPT)
        self.visible: dict[int, weakref.ref] = {}
        self.guarded: deque[Guarded] = deque(maxlen=KEPT)
        self.changes: dict[tuple[int, int], Changes] = {}

    def data_read(self, tensor: Tensor, data: Any) -> None:
        """The program has a `.data` of a tensor."""
        storage = data._storage
        if storage is not None and storage.shared is None:
            storage.shared = DataCount(self, storage, tensor)

    def called(self, name: str, args: tuple, result: Any, is_live: bool) -> None:
        """Note memory that a call has shown to NumPy or taken from it, and guard what backward may need of that."""
        if name in TO_ARRAYS:
            self.show(args[0])
            self.guard(args[0], next(sequence))
        elif name in FROM_ARRAYS:
            array = args[0] if args else None
            if isinstance(array, np.ndarray):
                self.taken(array)
                if name != "tensor" and np.may_share_memory(array, result._array):
                    self.show(result)
        elif is_live and self.visible and isinstance(result, Tensor) and result._node is not None:
            for each in args:
                if isinstance(each, Tensor) and each._storage is not None and id(each._storage) in self.visible:
                    self.guard(each, result._node.number)

    def show(self, tensor: Tensor) -> None:
        storage = storage_of(tensor)
        key = id(storage)
        if key not in self.visible or self.visible[key]() is not storage:
            self.visible[key] = weakref.ref(storage, lambda _: self.visible.pop(key, None))

    def guard(self, tensor: Tensor, number: int) -> None:
        array, storage = tensor._array, tensor._storage
        if storage is not None and id(storage) in self.visible and 0 < array.nbytes <= LARGEST:
            seen = weakref.ref(array), weakref.ref(storage)
            self.guarded.append(Guarded(*seen, storage.version, checksum(array), number, user_line()))

    def taken(self, array: np.ndarray) -> None:
        """Has the array changed since a tensor was last made of it?"""
        if 0 < array.nbytes <= LARGEST:
            key, sum = bounds_of(array), checksum(array)
            known = self.changes.get(key)
            if known is None:
                if len(self.changes) >= KEPT:
                    self.changes.clear()
                self.changes[key] = Changes(sum)
            elif known.sum != sum:
                known.sum, known.count = sum, known.count + 1

    def overwritten(self) -> list[tuple[Guarded, np.ndarray]]:
        """Guarded memory that holds other values now, and no tensor has counted a write."""
        found = []
        for each in self.guarded:
            array, storage = each.array(), each.storage()
            if array is None or storage is None or storage.version != each.version:
                continue
            if checksum(array) != each.sum:
                found.append((each, array))
        return found

    def advance(self) -> None:
        """A step is over: what its backwards needed is no longer guarded."""
        self.guarded.clear()


def bounds_of(array: np.ndarray) -> tuple[int, int]:
    """The first byte of an array's memory and the first after it."""
    first, last = np.lib.array_utils.byte_bounds(array)
    return first, last


def install(observer: Observer) -> None:
    """See NumPy join arrays into one: a store of experience ends up there."""
    for name in JOINING:
        observer.patches.replace(np, name, joining(observer, name, getattr(np, name)))


def joining(observer: Observer, name: str, function: Callable) -> Callable:
    @functools.wraps(function)
    def joined(*args: Any, **kwargs: Any) -> Any:
        if modes.observer is not None and args and type(args[0]) in (list, tuple) and has_arrays(args[0]):
            observer.watch.tell(ArraysJoined(name, list(args[0]), user_line()))
        return function(*args, **kwargs)

    return joined


def has_arrays(values: Any) -> bool:
    return len(values) >= 8 and type(values[0]) is np.ndarray
