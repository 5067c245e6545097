"""Workers: what a process does that fetches batches for a loader."""

from __future__ import annotations

import os
import pickle
import random
import select
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import rushlight as torch
from rushlight._utils import ExceptionWrapper
from rushlight.multiprocessing.channel import Channel, Closed, Message
from rushlight.utils.data import _utils


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


def _worker_loop(end: socket.socket, order: Order) -> None:
    """Fetch the batches that are asked for, until the loader's end of the socket is closed."""
    try:
        with end:
            Worker(Channel(end), order).run()
    except KeyboardInterrupt:
        # the main process is interrupted, too
        pass
    except Closed:
        pass


class Worker:
    """A worker process: it takes `(number, indices)` and gives `(number, batch)`."""

    def __init__(self, channel: Channel, order: Order):
        self.channel, self.order = channel, order
        self.where = f"in DataLoader worker process {order.worker_id}"
        self.watchdog = ManagerWatchdog()
        self.poll = select.poll()
        self.poll.register(channel.fileno(), select.POLLIN)
        self.fetcher: Any = None
        self.failure: ExceptionWrapper | None = None
        self.ended = False

    def run(self) -> None:
        self.begin()
        while True:
            request, indices = self.next_request()
            if isinstance(request, _ResumeIteration):
                self.send(request, None)
                self.resume(request)
            elif not self.ended:
                self.send(request, self.fetch(indices))

    def begin(self) -> None:
        global _worker_info
        torch.set_num_threads(1)
        order = self.order
        seed = set_seeds(order.base_seed, order.worker_id)
        self.seed_pipes(order.shared_seed)
        _worker_info = WorkerInfo(order.worker_id, order.num_workers, seed, order.dataset)
        try:
            if order.init_fn is not None:
                order.init_fn(order.worker_id)
            self.fetcher = order.fetcher()
        except Exception:
            self.failure = ExceptionWrapper(where=self.where)

    def resume(self, request: _ResumeIteration) -> None:
        self.ended = False
        self.seed_pipes(request.seed)
        self.fetcher = self.order.fetcher()

    def seed_pipes(self, seed: int | None) -> None:
        if seed is not None:
            from rushlight.utils.data.graph_settings import apply_random_seed

            generator = torch.Generator()
            generator.manual_seed(seed)
            apply_random_seed(self.order.dataset, generator)

    def next_request(self) -> tuple[Any, Any]:
        """Wait for the loader; whoever holds a copy of its end of the socket, it is gone when its process is."""
        while not self.poll.poll(1000 * _utils.MP_STATUS_CHECK_INTERVAL):
            if not self.watchdog.is_alive():
                raise Closed("the main process is gone")
        return self.channel.receive()

    def fetch(self, indices: Any) -> Any:
        """The batch, or what went wrong."""
        if self.failure is not None:
            found, self.failure = self.failure, None
            return found
        try:
            return self.fetcher.fetch(indices)
        except StopIteration:
            if self.order.dataset_kind == 1:
                self.ended = True
                return _IterableDatasetStopIteration(self.order.worker_id)
            return ExceptionWrapper(where=self.where)
        except Exception:
            return ExceptionWrapper(where=self.where)

    def send(self, number: Any, value: Any) -> None:
        """Send a result; one that cannot be pickled is an error of its own."""
        try:
            message = Message(number, value)
            if isinstance(value, ExceptionWrapper):
                # what the main process cannot read, it could not raise
                pickle.loads(pickle.dumps(value))
        except Exception:
            if isinstance(value, ExceptionWrapper):
                value.exc_msg = f"{value.exc_type.__name__}: {value.exc_msg}"
                value.exc_type = RuntimeError
            else:
                value = ExceptionWrapper(where=f"{self.where}, whose batch cannot be sent")
            message = Message(number, value)
        message.send(self.channel)
