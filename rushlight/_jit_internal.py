"""Marks on functions and classes for TorchScript, which change nothing here: the program runs as it is written."""

from __future__ import annotations

import functools
import inspect
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Dict, Final, List, Optional, Tuple, TypeVar, Union  # noqa: UP035

from rushlight.futures import Future

__all__ = [
    "Dict",
    "Final",
    "FunctionModifiers",
    "Future",
    "List",
    "Optional",
    "Tuple",
    "Union",
    "boolean_dispatch",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "unused",
]
Function = TypeVar("Function", bound=Callable)


class FunctionModifiers:
    """What TorchScript is to do with a function; packages read it from `_torchscript_modifier`."""

    UNUSED = "unused (ignored and replaced with raising of an exception)"
    IGNORE = "ignore (leave as a call to Python, cannot be torch.jit.save'd)"
    EXPORT = "export (compile this function even if nothing calls it)"
    DEFAULT = "default (compile if called from a exported function / forward)"
    COPY_TO_SCRIPT_WRAPPER = "if this method is not scripted, copy the python method onto the scripted model"
    _DROP = "_drop (function is fully ignored, declaration can be unscriptable)"


def export(fn: Function) -> Function:
    """Mark a method; it stays what it is."""
    fn._torchscript_modifier = FunctionModifiers.EXPORT  # type: ignore[attr-defined]
    return fn


def unused(fn: Function) -> Function:
    """Mark a method; it stays what it is."""
    marked = fn.fget if isinstance(fn, property) else fn
    marked._torchscript_modifier = FunctionModifiers.UNUSED  # type: ignore[attr-defined]
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Mark a function, with or without parentheses; it stays what it is."""
    if callable(drop):
        drop._torchscript_modifier = FunctionModifiers.IGNORE
        return drop
    if not isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")

    def mark(fn: Function) -> Function:
        fn._torchscript_modifier = FunctionModifiers.UNUSED if drop else FunctionModifiers.IGNORE  # type: ignore[attr-defined]
        return fn

    return mark


def _copy_to_script_wrapper(fn: Function) -> Function:
    fn._torchscript_modifier = FunctionModifiers.COPY_TO_SCRIPT_WRAPPER  # type: ignore[attr-defined]
    return fn


def _drop(fn: Function) -> Function:
    fn._torchscript_modifier = FunctionModifiers._DROP  # type: ignore[attr-defined]
    return fn


def module_has_exports(mod: Any) -> bool:
    """Whether a module has a method that is marked with `export`."""
    return any(
        get_torchscript_modifier(getattr(mod, name, None)) is FunctionModifiers.EXPORT
        for name in dir(mod)
        if callable(getattr(mod, name, None))
    )


def get_torchscript_modifier(fn: Any) -> Any:
    """The mark on a function."""
    fn = getattr(fn, "__func__", fn)
    return getattr(fn, "_torchscript_modifier", FunctionModifiers.DEFAULT) if callable(fn) else None


def is_ignored_fn(fn: Any) -> bool:
    """Whether a function is marked to be left out."""
    return get_torchscript_modifier(fn) in (FunctionModifiers.UNUSED, FunctionModifiers.IGNORE, FunctionModifiers._DROP)


def is_scripting() -> bool:
    """False: programs run in Python."""
    return False


def is_tracing() -> bool:
    """False: `trace` runs a function once and keeps nothing of it."""
    return False


overloads: dict[str, list[Callable]] = defaultdict(list)


def _overload(func: Function) -> Function:
    """Mark one of several signatures; the last definition of the name is the function."""
    overloads[f"{func.__module__}.{func.__qualname__}"].append(func)
    return func


_overload_method = _overload


def _get_fn_overloads(qual_name: str) -> list[Callable] | None:
    return overloads.get(qual_name)


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable,
    if_false: Callable,
    module_name: str,
    func_name: str,
) -> Callable:
    """A function that goes to one of two by a flag among its arguments."""

    @functools.wraps(if_true)
    def function(*args: Any, **kwargs: Any) -> Any:
        flag = kwargs[arg_name] if arg_name in kwargs else args[arg_index] if arg_index < len(args) else default
        return (if_true if flag else if_false)(*args, **kwargs)

    function.__module__, function.__name__ = module_name, func_name
    return function


def _is_exception(obj: Any) -> bool:
    return inspect.isclass(obj) and issubclass(obj, Exception)


def get_annotation_str(annotation: Any) -> str:
    """An annotation of a syntax tree as text."""
    import ast

    return ast.unparse(annotation)


def raise_error_container_parameter_missing(target_type: str) -> None:
    """Say that a container's annotation lacks its element."""
    raise RuntimeError(f"Attempted to use {target_type} without a contained type. Please add a contained type")


class _BroadcastingList:
    """An annotation for a number or a list of so many numbers."""

    def __getitem__(self, kind: Any) -> Any:
        return Any


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _BroadcastingList()
BroadcastingList4 = BroadcastingList5 = BroadcastingList6 = _BroadcastingList()
