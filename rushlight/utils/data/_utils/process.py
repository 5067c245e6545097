"""The loop of a worker process: requests come, batches go."""

from __future__ import annotations

import pickle
import select
from typing import Any

import rushlight as torch
from rushlight._utils import ExceptionWrapper
from rushlight.multiprocessing.channel import Channel, Closed, Message
from rushlight.utils.data import _utils
from rushlight.utils.data._utils import worker
from rushlight.utils.data._utils.worker import (
    ManagerWatchdog,
    Order,
    WorkerInfo,
    _IterableDatasetStopIteration,
    _ResumeIteration,
    set_seeds,
)


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
        torch.set_num_threads(1)
        order = self.order
        seed = set_seeds(order.base_seed, order.worker_id)
        self.seed_pipes(order.shared_seed)
        worker._worker_info = WorkerInfo(order.worker_id, order.num_workers, seed, order.dataset)
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
