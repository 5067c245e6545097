"""torch.futures: a result that is there later, and what is to be done with it then."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]
T = TypeVar("T")


class Future(Generic[T]):
    """A result that another thread sets; whoever waits for it gets it, or the exception that came instead.

    >>> future = torch.futures.Future()
    >>> after = future.then(lambda done: done.value() + 1)
    >>> future.set_result(2)
    >>> after.wait()
    3
    """

    def __init__(self, *, devices: list[Any] | None = None):
        self._there = threading.Event()
        self._lock = threading.Lock()
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future], Any]] = []

    def done(self) -> bool:
        """Whether there is a result or an exception."""
        return self._there.is_set()

    def wait(self) -> T:
        """The result, once it is there."""
        self._there.wait()
        return self.value()

    def value(self) -> T:
        """The result, which must be there."""
        if not self.done():
            raise RuntimeError("Future.value() called before the result was set: call wait(), or done() first")
        if self._error is not None:
            raise self._error
        return self._value

    def set_result(self, result: T) -> None:
        """Give the result; the callbacks run in this thread."""
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Give an exception in place of a result."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, value: Any, error: BaseException | None) -> None:
        with self._lock:
            if self._there.is_set():
                raise RuntimeError("Future can only be marked completed once")
            self._value, self._error = value, error
            self._there.set()
            callbacks, self._callbacks = self._callbacks, []
        for each in callbacks:
            each(self)

    def then(self, callback: Callable[[Future[T]], Any]) -> Future[Any]:
        """The future of what `callback` makes of this one when it is done."""
        after: Future[Any] = Future()

        def run(done: Future) -> None:
            try:
                found = callback(done)
            except Exception as error:
                after.set_exception(error)
            else:
                after.set_result(found)

        self._call_when_done(run)
        return after

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Call `callback` with this future when it is done; what it raises is printed."""

        def run(done: Future) -> None:
            try:
                callback(done)
            except Exception:
                import traceback

                traceback.print_exc()

        self._call_when_done(run)

    def _call_when_done(self, run: Callable[[Future], Any]) -> None:
        with self._lock:
            if not self._there.is_set():
                self._callbacks.append(run)
                return
        run(self)


def collect_all(futures: list[Future]) -> Future[list[Future]]:
    """A future that is done when all are; its value is their list."""
    together: Future[list[Future]] = Future()
    left = len(futures)
    lock = threading.Lock()

    def count(_: Future) -> None:
        nonlocal left
        with lock:
            left -= 1
            last = left == 0
        if last:
            together.set_result(futures)

    if not futures:
        together.set_result(futures)
    for each in futures:
        each._call_when_done(count)
    return together


def wait_all(futures: list[Future]) -> list:
    """The results of all, once they are there."""
    return [each.wait() for each in collect_all(futures).wait()]
