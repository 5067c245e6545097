"""Lazy names: packages and ops loaded when they are first asked for, and plain words for what is not there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def names_of(package: str, lazy: tuple[str, ...] = ()) -> Callable[[str], Any]:
    """A `__getattr__` for a public package: imports the modules in `lazy`, finds ops that are declared late."""
    _, _, place = package.partition(".")
    shown = package.replace("rushlight", "torch", 1)

    def __getattr__(name: str) -> Any:
        if name in lazy:
            return import_module(f"{package}.{name}")
        found = None if name.startswith("__") else late_op(place, name)
        if found is None:
            raise AttributeError(f"module '{shown}' has no attribute '{name}': it is not in Rushlight")
        setattr(sys.modules[package], name, found)
        return found

    return __getattr__


def late_op(place: str, name: str) -> Any:
    """The op of this name in `linalg`, `nn.functional` or "", the top, once all families are loaded."""
    from rushlight.ops import bind, late

    late.load()
    return bind.namespace(place).get(name)
