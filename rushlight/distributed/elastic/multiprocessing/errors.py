"""Errors of a process of a job: `record` lets the one who started it know what went wrong."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.core.surface.refusals import value_of
from rushlight.distributed import environment, failures
from rushlight.distributed.names import STARTING

__all__ = ["ChildFailedError", "ErrorHandler", "ProcessFailure", "get_error_handler", "record"]

ChildFailedError = value_of("distributed.elastic.multiprocessing.errors.ChildFailedError", (), STARTING)
ErrorHandler = value_of("distributed.elastic.multiprocessing.errors.ErrorHandler", (), STARTING)
ProcessFailure = value_of("distributed.elastic.multiprocessing.ProcessFailure", (), STARTING)
get_error_handler = value_of("distributed.elastic.multiprocessing.errors.get_error_handler", (), STARTING)


def record(fn: Callable, error_handler: Any = None) -> Callable:
    """The function of a program's start, whose error is told to `python -m rushlight.distributed.run`.

    Programs that it starts do so in any case.
    """

    @functools.wraps(fn)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            failures.note_error(environment.number("RANK") or 0, error)
            raise

    return recorded
