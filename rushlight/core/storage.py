"""Storage: the memory that views share, and the count of writes to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.location import Location
from rushlight.native import core


class PlainStorage:
    """One block of memory; every view of it points here.

    A tensor gets one only when something must be shared (a view, a saved result) or counted
    (a write): most results of operations live and die without.
    """

    __slots__ = ("__weakref__", "array", "version", "writer")

    def __init__(self, array: np.ndarray):
        self.array = array
        self.version = 0
        self.writer: Location | None = None


Storage: Any = PlainStorage if core is None else core.Storage
