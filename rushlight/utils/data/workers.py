"""The iterator of a loader with workers: what is asked of each, and what has come back."""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import os
import select
import signal
import socket
import time
import warnings
from collections import deque
from pickle import PicklingError
from typing import Any

import numpy.random  # noqa: F401  (here once, not in each worker after its fork: 30 ms)

from rushlight._utils import ExceptionWrapper
from rushlight.multiprocessing.channel import Channel, Closed, Message, pair
from rushlight.multiprocessing.parcel import Unreadable
from rushlight.utils.data import _utils
from rushlight.utils.data._utils.worker import Order, _IterableDatasetStopIteration, _ResumeIteration, _worker_loop
from rushlight.utils.data.dataloader import DataLoader, _BaseDataLoaderIter, _sharding_worker_init_fn

# seconds after which the processes are looked at, though their sockets say nothing
LOOK = 1.0


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Batches that worker processes make ahead of time; they come in order unless `in_order` is False."""

    _shutdown = True

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        self._prefetch_factor: int = loader.prefetch_factor or 0
        self._in_order = loader.in_order
        if self._num_workers <= 0:
            raise AssertionError("num_workers must be greater than 0 for MultiProcessingDataLoaderIter")
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._worker_init_fn = loader.worker_init_fn
        if self._pipe is not None:
            self._worker_init_fn = functools.partial(_sharding_worker_init_fn, self._worker_init_fn, 1, 0)
        self._workers: list[Any] = []
        self._channels: list[Channel] = []
        self._arrived: deque[tuple] = deque()
        self._poll = select.poll()
        self._by_descriptor: dict[int, int] = {}
        self._closed: set[int] = set()  # workers whose end of the socket is gone
        self._shutdown = False
        self._owner = os.getpid()
        context: Any = loader.multiprocessing_context or multiprocessing
        for number in range(self._num_workers):
            self._start(context, number)
        _utils.signal_handling._set_worker_pids(id(self), [each.pid for each in self._workers])
        self._reset(loader, first_iter=True)

    def _start(self, context: Any, number: int) -> None:
        order = Order(
            self._dataset_kind,
            self._dataset,
            self._auto_collation,
            self._collate_fn,
            self._drop_last,
            self._base_seed,
            self._worker_init_fn,
            number,
            self._num_workers,
            self._shared_seed,
        )
        near, far = pair()
        self._channels.append(near)
        with far:
            process = context.Process(target=_worker_loop, args=(far, order))
            process.daemon = True
            try:
                process.start()
            except (TypeError, AttributeError, PicklingError):
                warnings.warn(
                    "Got pickle error when attempting to start a worker Process. This might be because the worker "
                    "Process arguments are not picklable: the dataset, collate_fn and worker_init_fn are sent to it, "
                    "unless it is started by fork.",
                    stacklevel=5,
                )
                raise
        self._workers.append(process)
        self._by_descriptor[near.fileno()] = number
        self._poll.register(near.fileno(), select.POLLIN)

    def _reset(self, loader: DataLoader, first_iter: bool = False) -> None:
        super()._reset(loader, first_iter)
        self._send_idx = 0  # the next batch to ask for
        self._rcvd_idx = 0  # the next batch to return
        # who makes a batch, and the batch once it is here
        self._task_info: dict[int, tuple] = {}
        self._tasks_outstanding = 0
        self._workers_status = [True] * self._num_workers
        self._workers_num_tasks = [0] * self._num_workers
        self._worker_queue_idx_cycle = itertools.cycle(range(self._num_workers))
        if not first_iter:
            for number in range(self._num_workers):
                self._put(number, _ResumeIteration(self._shared_seed), None)
            waiting = self._num_workers
            while waiting > 0:
                # what comes before is of the epoch that was given up
                answer, _ = self._get_data()
                waiting -= isinstance(answer, _ResumeIteration)
        for _ in range(self._prefetch_factor * self._num_workers):
            self._try_put_index()

    def _put(self, number: int, label: Any, value: Any) -> None:
        """Send to a worker; while there is no room, take what the workers send, or both sides could wait for ever."""
        message = Message(label, value)
        while True:
            try:
                message.send(self._channels[number], socket.MSG_DONTWAIT)
                return
            except BlockingIOError:
                descriptor = self._channels[number].fileno()
                self._poll.modify(descriptor, select.POLLIN | select.POLLOUT)
                self._collect(LOOK)
                if descriptor in self._by_descriptor:
                    self._poll.modify(descriptor, select.POLLIN)
            except (Closed, OSError):
                self._raise_if_any_died([number])
                raise

    def _collect(self, seconds: float) -> None:
        """Take what the workers have sent, and wait for it if there is nothing yet; say so if one has died."""
        for descriptor, event in self._poll.poll(max(0.0, seconds) * 1000):
            if event == select.POLLOUT:
                continue
            number = self._by_descriptor[descriptor]
            try:
                self._arrived.append(self._channels[number].receive())
            except Closed:
                self._closed.add(number)
                self._stop_listening(number)
            except Unreadable as error:
                reason = error.reason
                where = f"reading what DataLoader worker process {number} sent"
                wrapped = ExceptionWrapper((type(reason), reason, reason.__traceback__), where)
                self._arrived.append((error.label, wrapped))
        if not self._arrived:
            self._raise_if_any_died([number for number in range(self._num_workers) if self._is_gone(number)])

    def _is_gone(self, number: int) -> bool:
        """Whether a worker that should work has ended; what it sent before comes first."""
        if not self._workers_status[number] or number in self._closed:
            return self._workers_status[number]
        if self._workers[number].is_alive():
            return False
        ready = select.poll()
        ready.register(self._channels[number].fileno(), select.POLLIN)
        return not any(event & select.POLLIN for _, event in ready.poll(0))

    def _stop_listening(self, number: int) -> None:
        descriptor = self._channels[number].fileno()
        if self._by_descriptor.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)

    def _raise_if_any_died(self, numbers: list[int]) -> None:
        if not numbers:
            return
        how = []
        for number in numbers:
            self._stop_listening(number)
            self._mark_worker_as_unavailable(number)
            process = self._workers[number]
            process.join(LOOK)
            how.append(f"worker {number} {end_of(process.exitcode)}")
        ids = ", ".join(str(self._workers[number].pid) for number in numbers)
        raise RuntimeError(f"DataLoader worker (pid(s) {ids}) exited unexpectedly: {', '.join(how)}")

    def _try_get_data(self, timeout: float = _utils.MP_STATUS_CHECK_INTERVAL) -> tuple[bool, Any]:
        """Whether something came within so many seconds, and what."""
        end = time.monotonic() + timeout
        while not self._arrived:
            left = end - time.monotonic()
            if left <= 0:
                return False, None
            self._collect(min(LOOK, left))
        return True, self._arrived.popleft()

    def _get_data(self) -> Any:
        if self._timeout > 0:
            success, data = self._try_get_data(self._timeout)
            if not success:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
            return data
        while True:
            success, data = self._try_get_data()
            if success:
                return data

    def _next_data(self) -> Any:
        while True:
            self._skip_lost()
            if len(self._task_info[self._rcvd_idx]) == 2:
                number, data = self._task_info.pop(self._rcvd_idx)
                self._rcvd_idx += 1
                return self._process_data(data, number)
            index, data = self._get_data()
            self._tasks_outstanding -= 1
            if isinstance(data, _IterableDatasetStopIteration):
                self._workers_status[data.worker_id] = False
                if not self._persistent_workers:
                    self._mark_worker_as_unavailable(data.worker_id)
                self._try_put_index()
            elif index == self._rcvd_idx or not self._in_order:
                number = self._task_info.pop(index)[0]
                self._rcvd_idx += index == self._rcvd_idx
                return self._process_data(data, number)
            else:
                self._task_info[index] += (data,)

    def _skip_lost(self) -> None:
        """Go on to the next batch that is here or will come; stop if there is none."""
        while self._rcvd_idx < self._send_idx:
            info = self._task_info.get(self._rcvd_idx)
            if info is not None:
                if len(info) == 2 or self._workers_status[info[0]]:
                    return
                del self._task_info[self._rcvd_idx]
            self._rcvd_idx += 1
        if not self._persistent_workers:
            self._shutdown_workers()
        raise StopIteration

    def _try_put_index(self) -> None:
        """Ask the next worker in turn for one more batch."""
        most = self._prefetch_factor * self._num_workers
        try:
            index = self._next_index()
        except StopIteration:
            return
        for _ in range(self._num_workers):
            number = next(self._worker_queue_idx_cycle)
            if self._workers_status[number] and (
                self._in_order or self._workers_num_tasks[number] < most // sum(self._workers_status)
            ):
                break
        else:
            return
        self._put(number, self._send_idx, index)
        self._task_info[self._send_idx] = (number,)
        self._workers_num_tasks[number] += 1
        self._tasks_outstanding += 1
        self._send_idx += 1

    def _process_data(self, data: Any, worker_idx: int) -> Any:
        self._workers_num_tasks[worker_idx] -= 1
        self._try_put_index()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return data

    def _mark_worker_as_unavailable(self, worker_id: int, shutdown: bool = False) -> None:
        """Let a worker end: it does when the other end of its socket is closed."""
        self._workers_status[worker_id] = False
        self._stop_listening(worker_id)
        self._channels[worker_id].close()

    def _shutdown_workers(self) -> None:
        """End the workers, those that do not end by themselves too."""
        if self._shutdown or _utils is None or _utils.python_exit_status is not False:
            return
        if self._owner != os.getpid():
            # a copy in a child of fork(), which has no say in this
            return
        self._shutdown = True
        try:
            for each in self._channels:
                each.close()
            end = time.monotonic() + _utils.MP_STATUS_CHECK_INTERVAL
            for process in self._workers:
                process.join(max(0.0, end - time.monotonic()))
        finally:
            _utils.signal_handling._remove_worker_pids(id(self))
            for finish in ("terminate", "kill"):
                for process in [each for each in self._workers if each.is_alive()]:
                    getattr(process, finish)()
                    process.join(LOOK)
            self._arrived.clear()

    def __del__(self) -> None:
        self._shutdown_workers()


def end_of(code: int | None) -> str:
    """How a process ended, in words."""
    if code is None:
        return "does not answer"
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by signal {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
