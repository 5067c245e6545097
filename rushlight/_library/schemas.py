"""Schemas: the declaration of a custom function, `name(Tensor x, int n=3, *, float k=1.0) -> Tensor`."""

from __future__ import annotations

import ast
import re
from typing import Any

from rushlight._ops import MismatchError
from rushlight.core.object.tensor import Tensor

WHOLE = re.compile(r"\s*([\w.:]*)\s*\((.*)\)\s*->\s*(.+?)\s*$", re.DOTALL)


class Argument:
    """One parameter of a declaration."""

    def __init__(self, text: str, kwarg_only: bool):
        declared, has_default, default = text.partition("=")
        kind, _, self.name = declared.strip().rpartition(" ")
        self.type = kind.strip()
        self.kwarg_only = kwarg_only
        self.is_write = "!" in self.type
        self.has_default = bool(has_default)
        self.default_value = read_default(default.strip()) if has_default else None
        plain = re.sub(r"\(.*?\)", "", self.type)
        self.optional = plain.endswith("?")
        self.kind = plain.rstrip("?")
        self.text = text.strip()

    def __repr__(self) -> str:
        return f"Argument(name='{self.name}', type={self.type})"


def read_default(text: str) -> Any:
    """The default that a declaration writes."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


class FunctionSchema:
    """A declaration, taken apart."""

    def __init__(self, text: str, namespace: str = ""):
        match = WHOLE.match(text)
        if match is None:
            raise RuntimeError(f"'{text}' is no declaration: write name(Tensor x, int n=3) -> Tensor")
        full, inside, self.returned = match.groups()
        name, _, overload = full.partition(".")
        self.overload_name: str = overload
        self.name = name if "::" in name else f"{namespace}::{name}"
        self.arguments: list[Argument] = []
        kwarg_only = False
        for part in split(inside):
            if part == "*":
                kwarg_only = True
            else:
                self.arguments.append(Argument(part, kwarg_only))
        self.returns = [each for each in split(self.returned.strip("()")) if each]
        self.is_mutable = any(each.is_write for each in self.arguments)

    def __str__(self) -> str:
        parts: list[str] = []
        for each in self.arguments:
            if each.kwarg_only and "*" not in parts:
                parts.append("*")
            parts.append(each.text)
        form = f".{self.overload_name}" if self.overload_name else ""
        return f"{self.name}{form}({', '.join(parts)}) -> {self.returned}"

    __repr__ = __str__

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a call: by position, and those that are by name only."""
        positional = [each for each in self.arguments if not each.kwarg_only]
        if len(args) > len(positional):
            raise MismatchError(
                f"{self.name}() expected at most {len(positional)} argument(s) but received {len(args)} argument(s). "
                f"Declaration: {self}"
            )
        unknown = [name for name in kwargs if all(each.name != name for each in self.arguments)]
        if unknown:
            raise MismatchError(f"{self.name}(): unknown keyword argument '{unknown[0]}'. Declaration: {self}")
        given, named = [], {}
        for place, each in enumerate(self.arguments):
            value = args[place] if place < len(args) else self.value_of(each, kwargs)
            self.check(place, each, value)
            if each.kwarg_only:
                named[each.name] = value
            else:
                given.append(value)
        return given, named

    def value_of(self, argument: Argument, kwargs: dict[str, Any]) -> Any:
        if argument.name in kwargs:
            return kwargs[argument.name]
        if not argument.has_default:
            raise MismatchError(f"{self.name}() is missing value for argument '{argument.name}'. Declaration: {self}")
        return argument.default_value

    def check(self, place: int, argument: Argument, value: Any) -> None:
        if argument.kind != "Tensor" or isinstance(value, Tensor) or (value is None and argument.optional):
            return
        raise MismatchError(
            f"{self.name}() Expected a value of type 'Tensor' for argument '{argument.name}' but instead found type "
            f"'{type(value).__name__}'.\nPosition: {place}\nValue: {value!r}\nDeclaration: {self}"
        )


def split(text: str) -> list[str]:
    """The parts between commas that stand in no bracket."""
    parts, depth, current = [], 0, ""
    for each in text:
        depth += (each in "([") - (each in ")]")
        if each == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += each
    return [*parts, current.strip()] if current.strip() else parts
