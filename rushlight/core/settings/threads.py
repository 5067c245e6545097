"""Threads: how many work on one operation, in native code and in NumPy's BLAS."""

from __future__ import annotations

import os

from rushlight.native import extension

__all__ = ["get_num_interop_threads", "get_num_threads", "set_num_interop_threads", "set_num_threads"]

_asked = {"threads": os.cpu_count() or 1, "interop": os.cpu_count() or 1}


def positive(value: int, function: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise RuntimeError(f"{function} expects an int, but got {type(value).__name__}")
    if not -(2**31) <= value < 2**31:
        raise ValueError(f"Overflow when unpacking long: {function} was given {value}")
    if value <= 0:
        raise RuntimeError(f"{function} expects a positive integer, got {value}")
    return value


def get_num_threads() -> int:
    """The number of threads that work on one operation: OMP_NUM_THREADS or the usable cores, until it is set.

    >>> torch.get_num_threads() >= 1
    True
    """
    return _asked["threads"] if extension is None else extension.get_num_threads()


def set_num_threads(n: int) -> None:
    """Set how many threads work on one operation, those of NumPy's BLAS too (at most one a extension).

    Without the native layer the number is only noted: OMP_NUM_THREADS, set before the start, governs the BLAS.

    >>> before = torch.get_num_threads()
    >>> torch.set_num_threads(1)
    >>> torch.get_num_threads()
    1
    >>> torch.set_num_threads(before)
    """
    _asked["threads"] = positive(n, "set_num_threads")
    if extension is not None:
        extension.set_num_threads(n)


def get_num_interop_threads() -> int:
    """The number of threads between operations last asked for.

    >>> torch.get_num_interop_threads() >= 1
    True
    """
    return _asked["interop"]


def set_num_interop_threads(n: int) -> None:
    """Note the number of threads wanted between operations, which run one after the other.

    >>> torch.set_num_interop_threads(2)
    >>> torch.get_num_interop_threads()
    2
    """
    _asked["interop"] = positive(n, "set_num_interop_threads")
