"""Stubs of public modules: what each name of one is, and where it comes from."""

from __future__ import annotations

import importlib
import sys
from types import FunctionType, ModuleType
from typing import Any

from rushlight.core.surface.lazy import promised
from rushlight.ops.machine.declare import Op
from rushlight.ops.machine.late import registry
from tools.stubs.by_hand import FUNCTIONS
from tools.stubs.notes import Imports, home_of, noted_stub
from tools.stubs.signatures import function_stub, overloads

HEAD = '''"""{title}

Written by tools/stubs from the registry of ops: `make stubs` writes it anew.
"""

'''
COMMON = """from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

from typing_extensions import TypeIs

from rushlight.autograd.edges import GradientEdge
from rushlight.core.object import results
from rushlight.core.numbers.dtypes import dtype as _dtype
from rushlight.core.memory.layout import layout as _layout
from rushlight.core.memory.layout import memory_format as _memory_format
from rushlight.core.random.random import Generator
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions
from rushlight.types import Device, Number, _bool, _complex, _float, _int
"""
# constants by the kind of their values
KINDS = {"float": "_float", "int": "_int", "bool": "_bool", "NoneType": "None", "str": "str", "dtype": "_dtype"}
KINDS |= {"layout": "_layout", "memory_format": "_memory_format", "Generator": "Generator"}


def forms() -> dict[int, tuple[Op, bool]]:
    """The op behind each public function, and whether the function is its in-place form."""
    found: dict[int, tuple[Op, bool]] = {}
    for op in registry().values():
        # the body of a composed function is itself one that some names stand for
        found |= {id(form): (op, False) for form in (op.function, op.method, op.body)}
        found[id(op.inplace)] = (op, True)
    # for ops without a method or an in-place form
    found.pop(id(None), None)
    return found


def face(package: str) -> str:
    """The stub of a public module, from the names in its `__all__`."""
    module = importlib.import_module(package)
    known, needs = forms(), Imports()
    imported: list[str] = []
    defined: list[str] = []
    for name in public_names(module):
        value = getattr(module, name)
        source = source_of(package, name, value)
        if id(value) in known:
            op, inplace = known[id(value)]
            defined += function_stub(op, name, inplace)
        elif (by_hand := FUNCTIONS.get(f"{package}.{name}".removeprefix("rushlight."))) is not None:
            defined += overloads(name, by_hand)
        elif source is not None and not (package == "rushlight" and isinstance(value, FunctionType)):
            imported.append(source)
        elif type(value).__name__ == "TensorType":
            # old names of tensors of one dtype, which programs use in annotations and call
            defined.append(f"class {name}(Tensor): ...")
        elif callable(value):
            defined.append(noted_stub(needs, name, value))
        else:
            defined.append(f"{name}: {KINDS[type(value).__name__]}")
    version = ["__version__: str"] if hasattr(module, "__version__") else []
    # what the module has itself is not imported a second time under a private name
    common = [line for line in COMMON.split("\n") if line.rpartition(" ")[2] not in module.__all__]
    head = [*(common if defined else ()), *sorted(needs.lines), *imported]
    title = (module.__doc__ or "").strip().split("\n")[0]
    listed = f"__all__ = {public_names(module)!r}"
    return HEAD.format(title=title) + "\n".join([*head, "", listed, *version, *defined]) + "\n"


def public_names(module: ModuleType) -> list[str]:
    """The names in its `__all__`, and the modules in it that are loaded when they are asked for."""
    late = [name for name in promised.get(module.__name__, ()) if isinstance(getattr(module, name), ModuleType)]
    return sorted({*module.__all__, *(name for name in late if not name.startswith("_"))})


def source_of(package: str, name: str, value: Any) -> str | None:
    """The import that brings a module, a class or a function to this place."""
    if isinstance(value, ModuleType):
        parent, _, last = value.__name__.rpartition(".")
        return f"from {parent} import {last} as {name}" if parent else f"import {last} as {name}"
    home = home_of(value)
    for called in (getattr(value, "__name__", name), name):
        if isinstance(home, str) and home != package and getattr(sys.modules.get(home), called, None) is value:
            return f"from {home} import {called} as {name}"
    return None
