"""Capacity: whether memory can hold a result, asked before the work begins, and torch's words where it cannot."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rushlight.native import extension

# what 64 bits count, in bytes as in elements
MOST = 2**63 - 1
# bytes from which on the system is asked beforehand: below, asking for the result itself is as quick
LARGE = 2**34


def new_bytes(count: int) -> np.ndarray:
    """So many bytes with nothing in particular in them, of the memory that tensors gave back where there is some."""
    return np.empty(count, np.uint8) if extension is None else extension.memory_bytes(count)


def require_room(shape: Sequence[int], itemsize: int) -> None:
    """Refuse a result of this shape if memory cannot hold it: for bodies that work or loop before they allocate."""
    wanted = math.prod(shape) * itemsize
    if wanted <= LARGE:
        return
    if wanted > MOST:
        raise overflowed(shape)
    try:
        np.empty(wanted, np.uint8)
    except MemoryError:
        raise no_room(wanted) from None


def overflowed(shape: Sequence[int] | None = None) -> RuntimeError:
    """The error of a result whose bytes 64 bits do not count."""
    sizes = "" if shape is None else f" with sizes={list(shape)}"
    return RuntimeError(f"Storage size calculation overflowed{sizes}: no memory holds that many elements")


def uncountable() -> RuntimeError:
    """The error of a view with more elements than can be counted, though it takes no memory."""
    return RuntimeError("numel: integer multiplication overflow: the bytes of a view, too, are at most 2**63 - 1 here")


def no_room(wanted: int | None, reason: str = "") -> RuntimeError:
    """The error of memory that the system does not give; `wanted` in bytes, where that is known."""
    asked = "" if wanted is None else f"you tried to allocate {wanted} bytes"
    words = ", ".join([each for each in (asked, reason) if each])
    return RuntimeError(f"DefaultCPUAllocator: can't allocate memory: {words or 'the system gives no more'}")


def wanted_bytes(error: MemoryError) -> int | None:
    """How many bytes were asked for in vain, where NumPy says so."""
    shape, kind = getattr(error, "shape", None), getattr(error, "dtype", None)
    return None if shape is None or kind is None else math.prod(shape) * kind.itemsize
