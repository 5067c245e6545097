"""Context managers that also decorate functions, as `no_grad` does."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["context_decorator"]


def context_decorator(ctx: Any, func: Callable) -> Callable:
    """The function, run inside the context; `ctx` is a context manager or a function that makes one."""
    make = ctx if callable(ctx) and not hasattr(ctx, "__enter__") else lambda: ctx
    if inspect.isgeneratorfunction(func):

        @functools.wraps(func)
        def generator(*args: Any, **kwargs: Any) -> Any:
            running = func(*args, **kwargs)
            answer: Any = None
            while True:
                with make():
                    try:
                        item = running.send(answer)
                    except StopIteration as stop:
                        return stop.value
                answer = yield item

        return generator

    @functools.wraps(func)
    def inside(*args: Any, **kwargs: Any) -> Any:
        with make():
            return func(*args, **kwargs)

    return inside


class _DecoratorContextManager:
    """A context manager that decorates functions too: a new one is made by `clone` for each call."""

    def __call__(self, orig_func: Callable) -> Callable:
        return context_decorator(self.clone, orig_func)

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        raise NotImplementedError

    def clone(self) -> Any:
        """Another one like this."""
        return self.__class__()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """The same, which may stand over a function without parentheses."""

    def __new__(cls, orig_func: Callable | None = None) -> Any:
        made = object.__new__(cls)
        if orig_func is None:
            return made
        return cls()(orig_func)
