"""fork and wait: the function runs at once, and its result is a future that is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.futures import Future


def fork(func: Callable, *args: Any, **kwargs: Any) -> Future[Any]:
    """The future of a call, which is made at once.

    >>> torch.jit.wait(torch.jit.fork(torch.add, torch.ones(2), 1))
    tensor([2., 2.])
    """
    future: Future[Any] = Future()
    try:
        found = func(*args, **kwargs)
    except Exception as error:
        future.set_exception(error)
    else:
        future.set_result(found)
    return future


def wait(future: Future[Any]) -> Any:
    """The result of a call that `fork` made."""
    return future.wait()
