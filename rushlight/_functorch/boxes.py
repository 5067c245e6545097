"""Boxed functions: those that take their arguments in one list, which the compilers of torch ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["make_boxed_compiler", "make_boxed_func", "nop"]


def make_boxed_func(f: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """The function, with its arguments in a list."""

    def boxed(args: list[Any]) -> Any:
        return f(*args)

    boxed._boxed_call = True  # type: ignore[attr-defined]
    return boxed


def make_boxed_compiler(compiler: Callable[..., Any]) -> Callable[..., Any]:
    """A compiler whose functions take their arguments in a list."""

    def boxed_compiler(fx_g: Any, inps: Any) -> Callable[[list[Any]], Any]:
        return make_boxed_func(compiler(fx_g, inps))

    return boxed_compiler


def nop(fx_g: Any, _: Any) -> Callable[[list[Any]], Any]:
    """A compiler that leaves the graph as it is."""
    return make_boxed_func(fx_g)
