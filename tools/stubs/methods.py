"""The stub of what Tensor gets after its class statement: ops as methods, operators, and later layers' methods."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

from rushlight.core.object import fields, tensor
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import OPERATORS
from rushlight.ops.machine.late import load
from tools.stubs.by_hand import METHODS, PROPERTIES
from tools.stubs.faces import COMMON, HEAD, KINDS, forms
from tools.stubs.notes import Imports, noted_stub
from tools.stubs.signatures import method_stub, overloads

UNARY = ("neg", "pos", "abs")
COMPARED = ("eq", "ne")


def methods() -> str:
    """The text of rushlight/core/object/methods.pyi."""
    load()
    imports, lines = Imports(), []
    known, taken = forms(), own_names()
    for name, value in sorted(vars(Tensor).items()):
        if name in taken or operator_of(name):
            continue
        if id(value) in known:
            op, inplace = known[id(value)]
            lines += method_stub(op, name, inplace)
        else:
            lines += ["    " + each for each in member(imports, name, value)]
    title = "What Tensor has besides its own statements: ops as methods, operators, and what later layers add."
    head = COMMON.replace("import Any,", "import Any, NoReturn,")
    body = [
        head.strip(),
        "import builtins",
        *sorted(imports.lines),
        '_Kind = TypeVar("_Kind", bound=Tensor)',
        "class Methods:",
        *operators(),
        *lines,
    ]
    return HEAD.format(title=title) + "\n".join(body) + "\n"


def own_names() -> set[str]:
    """The names that the class statements of Tensor and its base define, for type checkers too."""
    found: set[str] = set()
    for module, name in ((tensor, "Tensor"), (fields, "PlainFields")):
        tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
        statement = next(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name)
        for node in ast.walk(statement):
            if isinstance(node, ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Assign):
                found |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    # the last two since Python 3.13
    own = ("__module__", "__doc__", "__dict__", "__weakref__", "__annotations__")
    return found | {*own, "__static_attributes__", "__firstlineno__"}


def operator_of(name: str) -> bool:
    """Whether a name is a form of an operator: `__add__`, `__radd__`, `__iadd__`."""
    inner = name.strip("_")
    forms = {form for each in OPERATORS.values() for form in (each, f"r{each}", f"i{each}")}
    return name.startswith("__") and inner in forms | {"invert"}


def operators() -> list[str]:
    """The operators; what stands on the other side may be anything that becomes a tensor."""
    found = []
    for name in sorted(vars(Tensor)):
        if not operator_of(name):
            continue
        if name.strip("_") in (*UNARY, "invert"):
            found.append(f"    def {name}(self) -> Tensor: ...")
        else:
            ignored = "  # type: ignore[override]" if name.strip("_") in COMPARED else ""
            found.append(f"    def {name}(self, other: Any) -> Tensor: ...{ignored}")
    return found


def member(imports: Imports, name: str, value: Any) -> list[str]:
    """The lines for a method, a property or a constant that is no op."""
    if name in METHODS:
        return overloads(name, METHODS[name])
    if isinstance(value, property):
        note = inspect.signature(value.fget).return_annotation
        kind = PROPERTIES.get(name) or imports.words(note, value.fget)
        lines = ["@property", f"def {name}(self) -> {kind}: ..."]
        return lines + ([f"@{name}.setter", f"def {name}(self, value: {kind}) -> None: ..."] if value.fset else [])
    if isinstance(value, (classmethod, staticmethod)):
        return [f"@{type(value).__name__}", noted_stub(imports, name, value.__func__)]
    if callable(value):
        if getattr(value, "left_out", False):
            return [f"def {name}(self, *args: Any, **kwargs: Any) -> NoReturn: ..."]
        return [noted_stub(imports, name, value, is_method=True)]
    return [f"{name}: {KINDS[type(value).__name__]}"]
