"""Pool: Python's own pool of processes, whose results travel by shared memory, too."""

from __future__ import annotations

import gc
import multiprocessing.pool
from typing import Any

__all__ = ["Pool", "clean_worker"]


def clean_worker(*args: Any, **kwargs: Any) -> None:
    """What a process of the pool does; at its end, whatever it holds is let go."""
    multiprocessing.pool.worker(*args, **kwargs)  # type: ignore[attr-defined]
    gc.collect()


class Pool(multiprocessing.pool.Pool):
    """A pool of processes that tensors are sent to and come back from."""
