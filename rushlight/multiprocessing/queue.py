"""Queues under torch's names: Python's own, which pickle tensors by their shared memory."""

from __future__ import annotations

import multiprocessing
import multiprocessing.queues
from typing import Any

__all__ = ["Queue", "SimpleQueue"]


class Queue(multiprocessing.queues.Queue):
    """A queue between processes; `ctx` as in Python's."""

    def __init__(self, maxsize: int = 0, *, ctx: Any):
        super().__init__(maxsize, ctx=ctx)


class SimpleQueue(multiprocessing.queues.SimpleQueue):
    """A queue without a thread of its own."""

    def __init__(self, *, ctx: Any = None):
        super().__init__(ctx=ctx or multiprocessing.get_context())
