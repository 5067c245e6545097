"""Small helpers for types."""

from typing import TypeVar

__all__ = ["not_none"]

T = TypeVar("T")


def not_none(obj: T | None) -> T:
    """The object, which must not be None."""
    if obj is None:
        raise TypeError("Invariant encountered: value was None when it should not be")
    return obj
