"""Signals: torch's names for the watch over workers, which needs no signals here.

The other end of a worker's socket closes with the worker, whatever ended it, and the loader sees that at once.
"""

from __future__ import annotations

from collections.abc import Iterable

# the workers of each iterator, by its id
_workers: dict[int, tuple[int, ...]] = {}


def _set_worker_pids(loader_id: int, pids: Iterable[int]) -> None:
    """Note the worker processes of an iterator."""
    _workers[loader_id] = tuple(pids)


def _remove_worker_pids(loader_id: int) -> None:
    """Forget the worker processes of an iterator."""
    _workers.pop(loader_id, None)


def _set_SIGCHLD_handler() -> None:
    """Nothing: loaders of other packages, which have workers of their own, ask whether these are alive."""


def _set_worker_signal_handlers(*given: object) -> None:
    """Nothing: what ends a worker is told by how its process ended."""
