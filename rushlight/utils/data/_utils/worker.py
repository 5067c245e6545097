"""Workers: what a process does that fetches batches for a loader."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import rushlight as torch


class ManagerWatchdog:
    """Tells whether the process that started this one still runs."""

    def __init__(self) -> None:
        self.manager_pid = os.getppid()
        self.manager_dead = False

    def is_alive(self) -> bool:
        """Whether it does."""
        self.manager_dead = self.manager_dead or os.getppid() != self.manager_pid
        return not self.manager_dead


@dataclass(frozen=True, slots=True)
class _RNG:
    """Streams of random numbers of a worker's own."""

    random_generator: random.Random
    torch_generator: torch.Generator
    numpy_generator: object | None = None


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """Which worker this is, of how many, its seed, and its own copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: _RNG | None = None
    worker_method: str | None = "multiprocessing"


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """About the worker that this process is; None in the main process."""
    return _worker_info


@dataclass(frozen=True)
class _IterableDatasetStopIteration:
    """A worker's dataset has no more samples."""

    worker_id: int


@dataclass(frozen=True)
class _ResumeIteration:
    """The next epoch begins, for workers that persist."""

    seed: int | None = None


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Four words to seed NumPy with, which differ for each worker."""
    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return np.random.SeedSequence(words).generate_state(4).tolist()


def set_seeds(base_seed: int, worker_id: int) -> int:
    """Seed every stream as torch's workers do; the seed."""
    seed = base_seed + worker_id
    random.seed(seed)
    torch.manual_seed(seed)
    np.random.seed(_generate_state(base_seed, worker_id))
    return seed


@dataclass(frozen=True)
class Order:
    """What a worker is told when it starts."""

    dataset_kind: int
    dataset: Any
    auto_collation: bool
    collate_fn: Callable
    drop_last: bool
    base_seed: int
    init_fn: Callable[[int], None] | None
    worker_id: int
    num_workers: int
    shared_seed: int | None

    def fetcher(self) -> Any:
        from rushlight.utils.data.dataloader import _DatasetKind

        return _DatasetKind.create_fetcher(
            self.dataset_kind, self.dataset, self.auto_collation, self.collate_fn, self.drop_last
        )


def _worker_loop(end: Any, order: Order) -> None:
    """Fetch the batches that are asked for, until the loader's end of the socket is closed."""
    from rushlight.multiprocessing.channel import Channel, Closed
    from rushlight.utils.data._utils.process import Worker

    try:
        with end:
            Worker(Channel(end), order).run()
    except (KeyboardInterrupt, Closed):
        # the main process is interrupted, too, or has let go of this one
        pass
