"""A decorator that says how stable a function is; it changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable)


def compatibility(is_backward_compatible: bool) -> Callable[[Function], Function]:
    """The function itself."""
    return lambda function: function
