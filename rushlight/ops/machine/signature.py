"""Signatures: a function's parameters, read from its code object.

`inspect.signature` takes 40 us a function, and the ops have a thousand bodies and formulas: that would be a third
of the import.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import CO_VARARGS, CO_VARKEYWORDS
from typing import Any

REQUIRED = object()


class Parameter:
    """One parameter of a body: its default, its annotation, and whether it is keyword-only."""

    __slots__ = ("annotation", "default", "keyword", "name")

    def __init__(self, name: str, default: Any, annotation: str | None, keyword: bool):
        self.name = name
        self.default = default
        self.annotation = annotation
        self.keyword = keyword

    @property
    def is_tensor(self) -> bool:
        """Without annotation, what has no default is a tensor; an annotation says otherwise."""
        return self.default is REQUIRED if self.annotation is None else "Tensor" in self.annotation


def names_of(function: Callable) -> tuple[str, ...]:
    """The names of a function's parameters, in order."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def all_names(function: Callable) -> tuple[str, ...]:
    """Like `names_of`, then the names of `*args` and `**kwargs` where there are such."""
    code = function.__code__
    extra = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + extra]


def parameters_of(function: Callable) -> list[Parameter]:
    """A function's parameters with their defaults; annotations are kept as text."""
    code = function.__code__
    names = names_of(function)
    defaults = dict(function.__kwdefaults__ or {})
    given = function.__defaults__ or ()
    defaults.update(zip(names[code.co_argcount - len(given) : code.co_argcount], given, strict=True))
    notes = function.__annotations__
    return [
        Parameter(name, defaults.get(name, REQUIRED), text_of(notes.get(name)), place >= code.co_argcount)
        for place, name in enumerate(names)
    ]


def text_of(annotation: Any) -> str | None:
    if annotation is None or isinstance(annotation, str):
        return annotation if annotation is None else annotation.strip("'\"")
    return getattr(annotation, "__name__", str(annotation))
