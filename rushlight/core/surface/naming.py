"""Naming: a method that classes share, copied under the name of each, since Python's errors say it."""

from __future__ import annotations

import types
from typing import Any


def make_own(kind: Any, method: str) -> None:
    """Copy an inherited method into the class: the same code, under the name that a wrong call is told."""
    shared = getattr(kind, method)
    own = types.FunctionType(shared.__code__, shared.__globals__, method, shared.__defaults__, shared.__closure__)
    own.__kwdefaults__ = shared.__kwdefaults__
    own.__annotations__ = shared.__annotations__
    own.__doc__ = shared.__doc__
    own.__module__ = shared.__module__
    own.__qualname__ = f"{kind.__qualname__}.{method}"
    setattr(kind, method, own)
