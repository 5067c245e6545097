"""Decorators of DataPipes: their names as methods, and promises about them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, get_type_hints

from rushlight.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

_determinism = False
_runtime_validation_enabled = True


class functional_datapipe:
    """Let pipes have a method that makes one of the decorated class: `pipe.name(...)`."""

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name = name
        self.enable_df_api_tracing = enable_df_api_tracing

    def __call__(self, cls: Any) -> Any:
        for kind in (IterDataPipe, MapDataPipe):
            if isinstance(cls, type) and issubclass(cls, kind):
                kind.register_datapipe_as_function(self.name, cls)
                return cls
        if isinstance(cls, non_deterministic) or isinstance(getattr(cls, "__self__", None), non_deterministic):
            IterDataPipe.register_datapipe_as_function(self.name, cls)
            return cls
        raise TypeError("`functional_datapipe` can only decorate IterDataPipe and MapDataPipe")


class guaranteed_datapipes_determinism:
    """A context in which pipes that are marked as random cannot be made."""

    def __init__(self) -> None:
        global _determinism
        self.prev = _determinism
        _determinism = True

    def __enter__(self) -> None:
        """It began when it was made."""

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        global _determinism
        _determinism = self.prev


class non_deterministic:
    """Mark a pipe as random, or as random if a function of its arguments says so."""

    def __init__(self, arg: Any) -> None:
        self.cls: Any = None
        self.deterministic_fn: Callable[..., bool] | None = None
        if isinstance(arg, type):
            if not issubclass(arg, IterDataPipe):
                raise TypeError(
                    f"Only `IterDataPipe` can be decorated with `non_deterministic`, but {arg.__name__} is found"
                )
            self.cls = arg
        elif callable(arg):
            self.deterministic_fn = arg
        else:
            raise TypeError(f"{arg} can not be decorated by non_deterministic")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.cls is not None:
            return self.make(True, args, kwargs)
        if not (isinstance(args[0], type) and issubclass(args[0], IterDataPipe)):
            raise TypeError(f"Only `IterDataPipe` can be decorated, but {args[0].__name__} is found")
        self.cls = args[0]
        return self.deterministic_wrapper_fn

    def deterministic_wrapper_fn(self, *args: Any, **kwargs: Any) -> Any:
        """Make the pipe, if its arguments allow for it."""
        assert self.deterministic_fn is not None
        found = self.deterministic_fn(*args, **kwargs)
        if not isinstance(found, bool):
            raise TypeError(
                "deterministic_fn of `non_deterministic` decorator is required "
                f"to return a boolean value, but {type(found)} is found"
            )
        return self.make(found, args, kwargs)

    def make(self, is_random: bool, args: tuple, kwargs: dict) -> Any:
        if _determinism and is_random:
            raise TypeError(
                f"{self.cls.__name__} is non-deterministic, but you set 'guaranteed_datapipes_determinism': "
                "make it outside of that context"
            )
        return self.cls(*args, **kwargs)


def argument_validation(f: Callable) -> Callable:
    """Check that arguments whose hint is a DataPipe are DataPipes."""
    signature, hints = inspect.signature(f), get_type_hints(f)

    @wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            hint = hints.get(name)
            if isinstance(hint, type) and issubclass(hint, IterDataPipe) and not isinstance(value, IterDataPipe):
                raise TypeError(f"Expected argument '{name}' as a IterDataPipe, but found {type(value)}")
        return f(*args, **kwargs)

    return wrapper


class runtime_validation_disabled:
    """A context without the checks of `runtime_validation`."""

    def __init__(self) -> None:
        global _runtime_validation_enabled
        self.prev = _runtime_validation_enabled
        _runtime_validation_enabled = False

    def __enter__(self) -> None:
        """It began when it was made."""

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        global _runtime_validation_enabled
        _runtime_validation_enabled = self.prev


def runtime_validation(f: Callable) -> Callable:
    """Mark an `__iter__` whose samples fit its hint; the samples are not looked at."""
    if f.__name__ != "__iter__":
        raise TypeError(f"Can not decorate function {f.__name__} with 'runtime_validation'")
    return f
