"""Scripts: `script` gives back what it gets; nothing is an object of TorchScript's classes."""

from __future__ import annotations

import builtins
import typing
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, TypeVar

from rushlight.errors import torchscript
from rushlight.nn.modules.module import Module

T = TypeVar("T")
WORDS = "TorchScript is not in Rushlight: call the function or the module directly"


class Error(RuntimeError):
    """An error inside TorchScript, which is never raised here."""


class ScriptWarning(Warning):
    """A warning of TorchScript."""


class Attribute(NamedTuple):
    """A value with its type; as an attribute of a module it is the value."""

    value: Any
    type: Any


class Compiled(type):
    """The metaclass of TorchScript's classes, of which there are no objects."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        # a class of a program that is derived from one is an ordinary module
        if cls.__module__.startswith("rushlight"):
            raise RuntimeError(f"torch.jit.{cls.__name__}: {WORDS}")
        return super().__call__(*args, **kwargs)


class ScriptFunction(metaclass=Compiled):
    """A compiled function: there is none, so `isinstance` says False."""


class CompilationUnit(metaclass=Compiled):
    """Compiled functions together: there are none."""


class RecursiveScriptClass(metaclass=Compiled):
    """A compiled class: there is none."""


class ScriptModule(Module, metaclass=Compiled):
    """A compiled module: there is none. A class derived from it is an ordinary module."""


class RecursiveScriptModule(ScriptModule):
    """A compiled module with its parts: there is none."""


def script(
    obj: T,
    optimize: None = None,
    _frames_up: int = 0,
    _rcb: Callable | None = None,
    example_inputs: Any = None,
) -> T:
    """The function, the module or the class itself: it runs in Python.

    >>> @torch.jit.script
    ... def double(x):
    ...     return x * 2
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """
    if optimize is not None:
        from rushlight.errors.warning import warn

        warn("`optimize` is deprecated and has no effect: write `with torch.jit.optimized_execution()` instead")
    if not callable(obj) and not builtins.isinstance(obj, (dict, list)):
        raise RuntimeError(f"torch.jit.script: expected a function, a module or a class, not {obj.__class__.__name__}")
    torchscript.mark(obj)
    return obj


def script_method(fn: T) -> T:
    """The method itself."""
    return fn


def script_if_tracing(fn: T) -> T:
    """The function itself: nothing is traced."""
    return fn


def interface(obj: T) -> T:
    """The class itself."""
    return obj


def annotate(the_type: Any, the_value: T) -> T:
    """The value itself; the type is for a reader."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type, also of one with elements such as `List[int]`."""
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, each) for each in target_type)
    origin, inner = typing.get_origin(target_type), typing.get_args(target_type)
    if origin is None:
        return builtins.isinstance(obj, target_type)
    if origin is typing.Union:
        return any(isinstance(obj, each) for each in inner)
    if not builtins.isinstance(obj, origin):
        return False
    if origin is dict:
        return all(isinstance(key, inner[0]) and isinstance(value, inner[1]) for key, value in obj.items())
    if origin is tuple and len(inner) == len(obj):
        return all(isinstance(each, kind) for each, kind in zip(obj, inner, strict=True))
    return origin is not tuple and all(isinstance(each, inner[0]) for each in obj)


def refuse(name: str) -> NoReturn:
    """Say that something needs TorchScript."""
    raise NotImplementedError(f"torch.jit.{name} is not in Rushlight: {WORDS}")
