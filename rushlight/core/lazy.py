"""Lazy names: packages loaded when they are first asked for, and plain words for what is not there."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def names_of(package: str, lazy: tuple[str, ...] = ()) -> Callable[[str], Any]:
    """A `__getattr__` for a public package: imports the modules in `lazy`, and says which names are missing."""
    shown = package.replace("rushlight", "torch", 1)

    def __getattr__(name: str) -> Any:
        if name in lazy:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module '{shown}' has no attribute '{name}': it is not in Rushlight")

    return __getattr__
