"""Work: a collective that has begun, and what remains to be done when the others have done their part."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from rushlight.distributed import waiting
from rushlight.futures import Future

if TYPE_CHECKING:
    from rushlight.core.object.tensor import Tensor
    from rushlight.distributed.process_group import ProcessGroup


class Work:
    """What a call with `async_op=True` returns: `wait()` until its tensors hold the result."""

    __slots__ = (
        "__weakref__",
        "_error",
        "_finish",
        "_future",
        "_result",
        "done",
        "group",
        "name",
        "partner",
        "request",
        "sequence",
    )

    def __init__(
        self, group: ProcessGroup, name: str, request: Any, finish: Callable[[], None] | None = None, result: Any = ()
    ):
        self.group = group
        self.name = name
        self.request = request
        # the number of this collective in its group
        self.sequence = group.sequence
        self.done = False
        # the one process that this is a matter of, by its rank among all; None if it is one of the whole group
        self.partner: int | None = None
        self._finish = finish
        self._result = result
        self._error: BaseException | None = None
        self._future: WorkFuture | None = None

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait until the result is there; raises if somebody does not come in time."""
        if self.done:
            if self._error is not None:
                raise self._error
            return True
        try:
            waiting.complete(self, self.group.timeout if timeout is None else timeout.total_seconds())
        except Exception as error:
            self._end(error)
            raise
        self._end()
        return True

    def is_completed(self) -> bool:
        """Whether the result is there, which is then in its tensors."""
        if not self.done and waiting.test(self):
            self._end()
        return self.done

    def _end(self, error: BaseException | None = None) -> None:
        self.done = True
        self._error = error
        self.group.pending.discard(self)
        finish, self._finish = self._finish, None
        if error is None and finish is not None:
            finish()
        if self._future is not None:
            self._future.close(error)

    def is_success(self) -> bool:
        """Whether the result is there and nothing went wrong."""
        return self.is_completed() and self._error is None

    def exception(self) -> BaseException | None:
        """What went wrong."""
        return self._error

    def result(self) -> list[Tensor]:
        """The tensors that hold the result."""
        return list(self._result)

    def get_future(self) -> Future:
        """The same as a future: its value is the list of tensors."""
        if self._future is None:
            self._future = WorkFuture(self)
            if self.done:
                self._future.close(self._error)
        return self._future

    def synchronize(self) -> None:
        """The same as `wait()`."""
        self.wait()

    def source_rank(self) -> int:
        """Whom a message came from."""
        if self.name != "recv":
            raise RuntimeError(
                "sourceRank() may only be called on work objects that correspond to a recv or recv-from-any call."
            )
        self.wait()
        assert self.partner is not None
        return self.partner


Work.__module__ = "torch.distributed.distributed_c10d"


class WorkFuture(Future):
    """The future of a work: whoever waits for it drives the work on."""

    def __init__(self, work: Work):
        super().__init__()
        self._work = work

    def close(self, error: BaseException | None) -> None:
        """Give the result to those who wait, once."""
        if super().done():
            return
        if error is None:
            self.set_result(self._work.result())
        else:
            self._finish(None, error)

    def done(self) -> bool:
        return super().done() or (self._work.is_completed() and super().done())

    def wait(self) -> Any:
        self._work.wait()
        return self.value()

    def then(self, callback: Callable[[Future], Any]) -> Future:
        return ChainedFuture(self, super().then(callback))


class ChainedFuture(Future):
    """What a callback makes of a work's future: waiting for it drives the work on too."""

    def __init__(self, source: Future, inner: Future):
        super().__init__()
        self._source = source
        self._inner = inner

    def done(self) -> bool:
        return self._source.done() and self._inner.done()

    def wait(self) -> Any:
        self._source.wait()
        return self._inner.wait()

    def value(self) -> Any:
        return self._inner.value()

    def then(self, callback: Callable[[Future], Any]) -> Future:
        return ChainedFuture(self, self._inner.then(callback))

    def add_done_callback(self, callback: Callable[[Future], None]) -> None:
        self._inner.add_done_callback(callback)
