"""Lazy names: packages and ops loaded when they are first asked for, and plain words for what is not there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any


def names_of(
    package: str, lazy: tuple[str, ...] = (), elsewhere: Mapping[str, str] = MappingProxyType({})
) -> Callable[[str], Any]:
    """A `__getattr__` for a public package: imports the modules in `lazy`, finds ops that are declared late.

    `elsewhere` says in which module of Rushlight other names live: `{"autocast": "amp"}`.
    """
    _, _, place = package.partition(".")
    shown = package.replace("rushlight", "torch", 1)

    def __getattr__(name: str) -> Any:
        if name in lazy:
            return import_module(f"{package}.{name}")
        if name in elsewhere:
            found = getattr(import_module(f"rushlight.{elsewhere[name]}"), name)
        else:
            found = None if name.startswith("__") else late_op(place, name)
        if found is None:
            raise missing(shown, name)
        setattr(sys.modules[package], name, found)
        return found

    return __getattr__


class MissingName(AttributeError):
    """An error that looks for the reason when it is shown: `hasattr` asks for much that nobody misses."""

    def __init__(self, message: str, inside: str, **where: Any):
        super().__init__(message, **where)
        self.inside = inside  # the name without `torch.`

    def __str__(self) -> str:
        from rushlight.core.absent import clause

        return super().__str__() + clause(self.inside)


# what a traceback shows is torch's type
MissingName.__name__, MissingName.__qualname__, MissingName.__module__ = "AttributeError", "AttributeError", "builtins"


def missing(package: str, name: str) -> AttributeError:
    """The error for a name that a package of torch has and Rushlight lacks, or that nobody has."""
    inside = f"{package.removeprefix('torch')}.{name}".removeprefix(".")
    return MissingName(f"module '{package}' has no attribute '{name}': it is not in Rushlight", inside)


def late_op(place: str, name: str) -> Any:
    """The op of this name in `linalg`, `nn.functional` or "", the top, once all families are loaded."""
    from rushlight.ops.machine import bind, late

    late.load()
    return bind.public(place).get(name)
