"""Memory of tensors: what the pool keeps, what is in use, and how much may be kept.

Blocks that tensors free are kept by size and handed out again, which spares large tensors the system's page faults and
small ones most of the cost of an allocation. Figures are in bytes. The pool is part of the native layer: without it, or
with the environment variable RUSHLIGHT_POOL=0, nothing is kept; `stats()["pool"]` tells.

    >>> import rushlight as torch
    >>> torch.memory.release()
    >>> torch.memory.held()
    0
"""

from __future__ import annotations

from rushlight.native import extension

__all__ = ["held", "limit", "peak", "release", "reset_peak", "set_limit", "stats", "used"]


def stats() -> dict[str, int | bool]:
    """All figures at once.

    `pool`: whether freed memory is kept; `limit`, `held`, `used`, `peak`: as the functions of these names say;
    `allocations`: blocks handed out so far; `fresh`: how many of them came from the system, not from the pool.
    All are zero without the native layer, which alone counts.
    """
    if extension is None:
        return {"pool": False, "limit": 0, "held": 0, "used": 0, "peak": 0, "allocations": 0, "fresh": 0}
    return extension.memory_stats()


def limit() -> int:
    """How many bytes may be kept for later: at first 1 GiB or an eighth of the machine's memory, whichever is less."""
    return stats()["limit"]


def set_limit(bytes: int) -> None:
    """Set how many bytes may be kept; what is kept beyond goes back to the system, the longest unused sizes first."""
    if isinstance(bytes, bool) or not isinstance(bytes, int):
        raise TypeError(f"set_limit expects an int, but got {type(bytes).__name__}")
    if bytes < 0:
        raise ValueError(f"set_limit expects a number of bytes that is not negative, got {bytes}")
    if not stats()["pool"]:
        raise RuntimeError(f"set_limit: there is no pool, {why_off()}")
    extension.memory_set_limit(min(bytes, 2**62))


def held() -> int:
    """Bytes that are free and kept for later."""
    return stats()["held"]


def used() -> int:
    """Bytes in use by tensors, each block rounded up to the size it is kept by (at most a quarter more)."""
    return stats()["used"]


def peak() -> int:
    """The most bytes in use at any time since the start or `reset_peak()`.

    Exact while one thread makes tensors; with several it may miss what they held for a moment together.
    """
    return stats()["peak"]


def reset_peak() -> None:
    """Count the peak from here on."""
    if extension is not None:
        extension.memory_reset_peak()


def release() -> None:
    """Give all that is kept back to the system, but for the small blocks (1.5 MiB at most) at hand in other threads."""
    if extension is not None:
        extension.memory_release()


def why_off() -> str:
    if extension is None:
        from rushlight.native import reason

        return f"because the native layer is off: {reason}"
    return "because the environment variable RUSHLIGHT_POOL is 0"
