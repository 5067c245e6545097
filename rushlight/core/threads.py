"""Threads: how many a program asks for; the BLAS behind NumPy decides for itself."""

from __future__ import annotations

import os

__all__ = ["get_num_interop_threads", "get_num_threads", "set_num_interop_threads", "set_num_threads"]

_asked = {"threads": os.cpu_count() or 1, "interop": os.cpu_count() or 1}


def positive(value: int, function: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise RuntimeError(f"{function} expects an int, but got {type(value).__name__}")
    if value <= 0:
        raise RuntimeError(f"{function} expects a positive integer, got {value}")
    return value


def get_num_threads() -> int:
    """The number of threads last asked for."""
    return _asked["threads"]


def set_num_threads(n: int) -> None:
    """Note the number of threads wanted; OMP_NUM_THREADS, set before the start, governs NumPy's BLAS."""
    _asked["threads"] = positive(n, "set_num_threads")


def get_num_interop_threads() -> int:
    """The number of threads between operations last asked for."""
    return _asked["interop"]


def set_num_interop_threads(n: int) -> None:
    """Note the number of threads wanted between operations, which run one after the other."""
    _asked["interop"] = positive(n, "set_num_interop_threads")
