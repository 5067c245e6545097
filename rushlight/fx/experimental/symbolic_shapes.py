"""Symbolic sizes, which are not here: sizes are Python integers, and every question about them has an answer."""

from __future__ import annotations

from typing import Any

__all__ = [
    "definitely_true",
    "guard_size_oblivious",
    "has_free_symbols",
    "hint_int",
    "is_symbolic",
    "statically_known_true",
]


def guard_size_oblivious(expr: Any) -> bool:
    """The truth of a condition on sizes."""
    return bool(expr)


def statically_known_true(x: Any) -> bool:
    """The truth of a condition on sizes."""
    return bool(x)


def guard_or_false(a: Any) -> bool:
    """The truth of a condition on sizes."""
    return bool(a)


def guard_or_true(a: Any) -> bool:
    """The truth of a condition on sizes."""
    return bool(a)


definitely_true = statically_known_true


def hint_int(a: Any, fallback: int | None = None) -> int:
    """The size itself."""
    return int(a)


def is_symbolic(val: Any) -> bool:
    """False: every number is one."""
    return False


def has_free_symbols(val: Any) -> bool:
    """False: every number is one."""
    return False


def free_symbols(val: Any) -> set:
    """None."""
    return set()


class GuardOnDataDependentSymNode(RuntimeError):
    """An error of torch's compiler, which is never raised here."""


class DimDynamic:
    """How torch's compiler takes a dimension."""

    DYNAMIC, DUCK, STATIC = range(3)


def free_unbacked_symbols(x: Any) -> set:
    """None."""
    return set()
