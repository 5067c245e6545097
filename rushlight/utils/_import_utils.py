"""Imports that may fail: whether a package is there, without importing it."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from types import ModuleType

__all__ = ["dill_available", "import_dill"]


def _check_module_exists(name: str) -> bool:
    """Whether a module of this name can be imported."""
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


@functools.lru_cache
def dill_available() -> bool:
    """Whether the package dill is installed."""
    return _check_module_exists("dill")


@functools.lru_cache
def import_dill() -> ModuleType | None:
    """The package dill, or None."""
    return importlib.import_module("dill") if dill_available() else None
