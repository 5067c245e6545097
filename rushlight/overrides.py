"""torch.overrides: objects that are not tensors but say, with `__torch_function__`, how functions treat them."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.core.surface import overriding, subclassing
from rushlight.core.surface.lazy import names_of
from rushlight.core.surface.overriding import (
    DisableTorchFunctionSubclass,
    EnableTorchFunction,
    ask,
    modes,
    relevant,
)

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "enable_reentrant_dispatch",
    "get_default_nowrap_functions",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "redispatch_function",
    "resolve_name",
    "wrap_torch_function",
]


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a tensor or treats functions itself."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the arguments treats functions itself, or a mode does."""
    if modes.stack and not state.no_modes:
        return True
    return not state.no_overrides and any(overriding.overrides(each) for each in relevant_args)


def has_torch_function_unary(arg: Any) -> bool:
    """The same for one argument."""
    return has_torch_function((arg,))


def has_torch_function_variadic(*args: Any) -> bool:
    """The same for arguments given one by one."""
    return has_torch_function(args)


def handle_torch_function(public_api: Callable, relevant_args: Iterable[Any], /, *args: Any, **kwargs: Any) -> Any:
    """Ask the modes, then the arguments that treat functions themselves, subclasses first, what the call gives."""
    asked = relevant(relevant_args)
    if not asked and not modes.stack:
        raise TypeError(f"no implementation found for '{resolve_name(public_api)}' on types that implement []")
    return ask(public_api, asked, args, kwargs, in_python=True)


def redispatch_function(func: Callable, types: Any, args: tuple, kwargs: dict[str, Any] | None) -> Any:
    """The function itself, without asking for this one call; the operations inside it ask again."""
    plain = getattr(func, "__wrapped__", None)
    if plain is None or getattr(func, "op", None) is not None:
        with DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))
    return plain(*args, **(kwargs or {}))


def wrap_torch_function(dispatcher: Callable) -> Callable[[Callable], Callable]:
    """Decorate a function so that arguments have a word in it: those that `dispatcher` finds among its arguments."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def asked(*args: Any, **kwargs: Any) -> Any:
            found = dispatcher(*args, **kwargs)
            if has_torch_function(found):
                return handle_torch_function(asked, found, *args, **kwargs)
            return function(*args, **kwargs)

        return asked

    return decorate


class TorchFunctionMode:
    """A context in which a `__torch_function__` sees every call, whatever its arguments.

    >>> class Named(torch.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(torch.overrides.resolve_name(func))
    ...         return func(*args, **(kwargs or {}))
    >>> with Named():
    ...     x = torch.zeros(2)
    torch.zeros
    """

    inner: TorchFunctionMode

    def __init__(self) -> None:
        pass

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        _push_mode(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _pop_mode()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """Old: a new one, to be entered."""
        from rushlight.errors.warning import warn

        warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`")
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return func(*args, **({} if kwargs is None else kwargs))


def _push_mode(mode: TorchFunctionMode) -> None:
    modes.stack.append(mode)
    overriding.watch_modes(1)
    subclassing.show_to_modes(1)


def _pop_mode() -> TorchFunctionMode:
    mode = modes.stack.pop()
    overriding.watch_modes(-1)
    subclassing.show_to_modes(-1)
    return mode


def _get_current_function_mode() -> TorchFunctionMode | None:
    return modes.stack[-1] if modes.stack else None


def _get_current_function_mode_stack() -> list[TorchFunctionMode]:
    return list(modes.stack)


def _len_torch_function_stack() -> int:
    return len(modes.stack)


def _is_torch_function_mode_enabled() -> bool:
    return bool(modes.stack) and not state.no_modes


@contextlib.contextmanager
def _pop_mode_temporarily() -> Iterator[TorchFunctionMode]:
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


@contextlib.contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """Let arguments and modes have their word again inside a `__torch_function__` that runs without it."""
    with EnableTorchFunction():
        yield


def get_default_nowrap_functions() -> set[Callable]:
    """Functions whose results keep the class they have."""
    return {Tensor.grad.__get__}


def resolve_name(f: Callable) -> str | None:
    """The public name of a function of torch, such as 'torch.add'."""
    from rushlight.core.surface.overridable_names import names

    return names().get(f) if callable(f) else None


def is_tensor_method_or_property(func: Callable) -> bool:
    """Whether a function is a method of Tensor, or reads or writes one of its properties."""
    return (resolve_name(func) or "").startswith("torch.Tensor.") or getattr(func, "__name__", None) == "__get__"


def get_overridable_functions() -> dict[Any, list[Callable]]:
    """The functions in which arguments and modes have a word, by where they are found."""
    from rushlight.core.surface.overridable_names import functions

    return {place: list(found) for place, found in functions().items()}


def get_ignored_functions() -> set[Callable]:
    """Public functions in which nobody has a word."""
    from rushlight.core.surface.overridable_names import ignored

    return ignored()


def get_testing_overrides() -> dict[Callable, Callable]:
    """For each overridable function one with the same parameters that returns -1."""
    found: dict[Callable, Callable] = {}
    for each in (function for functions in get_overridable_functions().values() for function in functions):
        try:
            parameters = inspect.signature(each).parameters.values()
        except (TypeError, ValueError):
            found[each] = lambda *args, **kwargs: -1
            continue
        found[each] = dummy(parameters)
    return found


def dummy(parameters: Iterable[inspect.Parameter]) -> Callable:
    """A function of these parameters that returns -1."""

    def answer(*args: Any, **kwargs: Any) -> int:
        return -1

    answer.__signature__ = inspect.Signature(list(parameters))  # type: ignore[attr-defined]
    return answer


__getattr__ = names_of("rushlight.overrides")
