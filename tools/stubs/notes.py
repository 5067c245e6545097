"""Annotations of functions that are no ops, in words of the stubs."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import sys
from collections.abc import Callable
from inspect import Parameter
from pathlib import Path
from types import ModuleType
from typing import Any

from tools.stubs.by_hand import NOTED
from tools.stubs.signatures import line

BUILTIN = {"int": "_int", "float": "_float", "bool": "_bool", "complex": "_complex", "type": "builtins.type"}
# what the head of every stub imports
KNOWN = set("Any Callable Iterator Sequence Mapping NoReturn Literal Self Tensor Size Generator Number Device".split())
KNOWN |= {"Buffer", "ndarray"}


class Imports:
    """The names that a stub needs besides those in its head, each imported under a private name."""

    def __init__(self) -> None:
        self.lines: set[str] = set()

    def private(self, module: str, name: str) -> str:
        """Import a name; what to call it, since a method or a function may have the same name."""
        shown = "_" + ("" if module.startswith("rushlight") else f"{module.split('.')[0]}_") + name.lstrip("_")
        self.lines.add(f"from {module} import {name} as {shown}")
        return shown

    def words(self, note: Any, function: Callable) -> str:
        """An annotation, which may be text or an object, in names that the stub has."""
        if note is Parameter.empty:
            return "Any"
        text = note if isinstance(note, str) else getattr(note, "__name__", None) or str(note)
        if note is None or text == "NoneType":
            return "None"
        return ast.unparse(Translation(self, function).visit(ast.parse(text, mode="eval")).body)


def home_of(function: Any) -> Any:
    """The module that a function was written in: an op's is that of its body, whatever place it is found at."""
    shown = getattr(function, "__signature__", None)
    op = getattr(shown, "op", None) or getattr(function, "op", None)
    return getattr(function, "__module__", None) if op is None else op.body.__module__


class Translation(ast.NodeTransformer):
    """Replaces each name in an annotation by the stub's name for what it means in its module."""

    def __init__(self, imports: Imports, function: Callable):
        self.imports = imports
        self.module = sys.modules[home_of(function)]

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        base = self.meaning(node.value.id) if isinstance(node.value, ast.Name) else None
        if isinstance(base, ModuleType):
            return ast.Name(self.imports.private(base.__name__, node.attr))
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = node.id
        if name in BUILTIN:
            return ast.Name(BUILTIN[name])
        if name in KNOWN or hasattr(builtins, name):
            return node
        found = self.meaning(name)
        if isinstance(found, tuple):
            return ast.Name(self.imports.private(*found))
        return ast.Name(self.imports.private(self.module.__name__, name))

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return self.visit(ast.parse(node.value, mode="eval").body) if isinstance(node.value, str) else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        # the words in Literal["a"] are no names
        return node if getattr(node.value, "id", "") == "Literal" else self.generic_visit(node)

    def meaning(self, name: str) -> Any:
        """A module, or (module, name) of what an import says; None for what the module defines itself."""
        return imported_names(self.module.__file__ or "").get(name)


@functools.cache
def imported_names(path: str) -> dict[str, Any]:
    """What each import statement of a file binds, also those that only type checkers run."""
    found: dict[str, Any] = {}
    for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                module = sys.modules.get(f"{node.module}.{each.name}")
                found[each.asname or each.name] = module or (node.module, each.name)
        elif isinstance(node, ast.Import):
            for each in node.names:
                found[each.asname or each.name] = sys.modules.get(each.name)
    return found


def noted_stub(imports: Imports, name: str, function: Callable, is_method: bool = False) -> str:
    """The line for a function with annotations."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    if is_method:
        parameters[0] = parameters[0].replace(name="self")
    typed = [(simple(each), noted_type(imports, each, function)) for each in parameters]
    return line(name, typed, imports.words(signature.return_annotation, function))


def noted_type(imports: Imports, parameter: Parameter, function: Callable) -> str:
    """The annotation of a parameter, or what its name means."""
    words = imports.words(parameter.annotation, function)
    if words != "Any" or parameter.name not in NOTED:
        return words
    optional = parameter.default is None and parameter.name != "device"
    return NOTED[parameter.name] + (" | None" if optional else "")


class Dots:
    def __repr__(self) -> str:
        return "..."


def simple(parameter: Parameter) -> Parameter:
    """The parameter, its default replaced by dots if it cannot be written down."""
    plain = parameter.default is Parameter.empty or isinstance(parameter.default, (int, float, str, type(None)))
    return parameter if plain else parameter.replace(default=Dots())
