"""Storage: the memory that views share, and the count of writes to it."""

from __future__ import annotations

from sys import getrefcount
from typing import Any
from weakref import ref

import numpy as np

from rushlight.errors.location import Location
from rushlight.native import extension


class PlainStorage:
    """One block of memory; every view of it points here.

    A tensor gets one only when something must be shared (a view, a saved result) or counted
    (a write): most results of operations live and die without.
    """

    __slots__ = ("__weakref__", "array", "shared", "version", "writer")

    def __init__(self, array: np.ndarray):
        self.array = array
        self.version = 0
        self.writer: Location | None = None
        self.shared: SharedCount | None = None


class SharedCount:
    """Storages that count their writes together: `x.data = y` gives x other memory, but keeps its count."""

    def __init__(self) -> None:
        self.members: list[ref] = []

    def add(self, storage: Storage) -> None:
        self.members = [each for each in self.members if each() is not None]
        self.members.append(ref(storage))

    def __call__(self, storage: Storage) -> None:
        """After a write: every member has the count of this one."""
        for each in self.members:
            other = each()
            if other is not None:
                other.version, other.writer = storage.version, storage.writer


Storage: Any = PlainStorage if extension is None else extension.Storage


def count_write(storage: Storage) -> None:
    """Count a write to memory."""
    storage.version += 1
    if storage.shared is not None:
        storage.shared(storage)


def continued(storage: Storage, array: np.ndarray) -> Storage:
    """Other memory that goes on with a storage's count, and counts with it while others look at that one."""
    made = Storage(array)
    made.version, made.writer = storage.version, storage.writer
    if storage.shared is None and getrefcount(storage) > ALONE:
        storage.shared = SharedCount()
        storage.shared.add(storage)
    if storage.shared is not None:
        made.shared = storage.shared
        made.shared.add(made)
    return made


# what holds a storage that is one tensor's only: that tensor, the parameter and the question itself
ALONE = 3
