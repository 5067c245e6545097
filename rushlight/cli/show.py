"""`python -m rushlight show NAME`: all that is known of one operation, from its declaration."""

from __future__ import annotations

import ast
import functools
import inspect
import os
import sys
import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import rushlight
from rushlight.ops.machine.bind import METHOD_ONLY, NAMESPACES
from rushlight.ops.machine.declare import Op
from rushlight.ops.machine.late import registry

HELP = "an operation: signature, gradients, kernel, samples"
DESCRIPTION = """\
Show an operation as it is declared: signature and documentation, where it stands, its dtype rule, the formulas of its
gradients as they are written, whether native code has a kernel for it, and the calls that make its tests. Names are
those that programs write: tanh, torch.linalg.solve, F.linear, Tensor.add_; a class such as nn.Linear shows its
signature and documentation.
"""
SHORT = {"F.": "nn.functional.", "functional.": "nn.functional.", "Tensor.": "", "torch.": "", "rushlight.": ""}
MOST_SAMPLES = 6


def add_arguments(parser: ArgumentParser) -> None:
    """What may follow the command."""
    parser.add_argument("name", help="the operation, such as tanh or F.linear")


def command(given: Namespace) -> int:
    """Print all about one name, or what looks like it."""
    name = plain(given.name)
    op = find(name)
    if op is not None:
        print("\n".join(about(op)))
        return 0
    other = found_elsewhere(name)
    if other is not None:
        print("\n".join(about_other(name, other)))
        return 0
    print(f"python -m rushlight show: {complaint(name)}", file=sys.stderr)
    return 1


def plain(name: str) -> str:
    """A name without what programs write before it."""
    for long, short in SHORT.items():
        if name.startswith(long):
            return plain(short + name.removeprefix(long))
    return name


def find(name: str) -> Op | None:
    """The op of this name, also by one of its aliases, or of its in-place form."""
    ops = registry()
    place, _, last = name.rpartition(".")
    for each in (last, last.removesuffix("_")):
        wanted = f"{place}.{each}" if place else each
        if wanted in ops:
            return ops[wanted]
        function = NAMESPACES.get(place, {}).get(each)
        found = next((op for op in ops.values() if function is not None and function is op.function), None)
        if found is not None:
            return found
    # a function of layers by its own name
    return None if place else ops.get(f"nn.functional.{name}")


def found_elsewhere(name: str) -> Any:
    """What is no op, but a class or a function of the library all the same; None if there is none."""
    found: Any = rushlight
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            return None
    return found if callable(found) else None


def complaint(name: str) -> str:
    """Why there is nothing to show, and what may have been meant."""
    from rushlight.errors.suggestions import explained, nearest

    close = nearest(name, [each for each in registry() if not each.startswith("_")])
    if close is not None:
        return f"there is no operation {name!r}; did you mean {close}?"
    return explained(f"there is no operation {name!r}", name)


def about(op: Op) -> Iterator[str]:
    """The page of an op."""
    last = op.name.rpartition(".")[2]
    shown = f"torch.{op.name}" if op.name not in METHOD_ONLY else f"Tensor.{last}"
    yield f"{shown}{inspect.signature(op.function)}"
    yield ""
    yield textwrap.indent(inspect.cleandoc(op.doc), "    ")
    yield ""
    yield row("also", ", ".join(other_forms(op, last)) or "nothing else")
    yield row("declared", where(op.body))
    if op.is_composed:
        yield row("made of", "other operations, whose gradients follow")
    else:
        yield row("dtype", getattr(op.rule, "__name__", None) or str(op.rule))
    yield row("kernel", kernel(op))
    for name, text in formulas(op):
        yield row(f"grad of {name}", text)
    yield from samples_of(op, last)


def row(head: str, text: str) -> str:
    """A heading and what stands beside it, in lines below one another."""
    lines = text.splitlines() or [""]
    return "\n".join([f"{head:<16}{lines[0]}", *[" " * 16 + line for line in lines[1:]]])


def other_forms(op: Op, last: str) -> list[str]:
    """Further names of an op: aliases, the method, the in-place form."""
    found = [f"torch.{alias}" for alias in op.aliases]
    if op.is_method:
        found.append(f"Tensor.{last}")
    if op.inplace is not None:
        found.append(f"Tensor.{last}_" if op.is_method else f"torch.{op.name}_")
    if op.operator is not None:
        found.append(f"operator {op.operator}")
    return found


def where(thing: Any) -> str:
    """File and line of a function or a class, as an editor takes it."""
    thing = inspect.unwrap(thing)
    try:
        path = inspect.getsourcefile(thing)
        line = inspect.getsourcelines(thing)[1]
    except (OSError, TypeError):
        return "in native code"
    return f"{os.path.relpath(path or '?')}:{line}"


def kernel(op: Op) -> str:
    """What native code does of an op."""
    from rushlight import native

    if native.extension is None:
        return f"none: the native layer is off ({native.reason})"
    found = next((each for each in native.report() if each.name == op.name), None)
    if found is None:
        return "none: NumPy does the work"
    return "native" if found.gradient is None else "native, its gradient too"


def formulas(op: Op) -> Iterator[tuple[str, str]]:
    """The formula of each gradient, as it is written in the file of the op."""
    written = written_formulas(op)
    for name, formula in op.gradients.items():
        yield name, written.get(name) or text_of(formula)


def written_formulas(op: Op) -> dict[str, str]:
    """The formulas beside `op.gradient(...)` in its file, with the functions of that file that they are."""
    return formulas_in(op.body.__module__).get(op.body.__name__, {})


@functools.cache
def formulas_in(module: str) -> dict[str, dict[str, str]]:
    """The formulas of each op in a file, which is read once: the reference asks for all of them."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, KeyError):
        return {}
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    found: dict[str, dict[str, str]] = {}
    for node in ast.walk(tree):
        for keyword in gradients_of(node):
            named = {each.id for each in ast.walk(keyword.value) if isinstance(each, ast.Name)}
            # a parameter may be called like the op
            named -= {each.arg for each in ast.walk(keyword.value) if isinstance(each, ast.arg)}
            parts: list[ast.expr | ast.stmt] = [
                keyword.value,
                *(functions[each] for each in sorted(named & set(functions))),
            ]
            # a formula that is just a name is the function's own text
            parts = parts[1:] if isinstance(keyword.value, ast.Name) and parts[1:] else parts
            name: str = node.func.value.id  # type: ignore[attr-defined]
            found.setdefault(name, {})[str(keyword.arg)] = "\n".join(segment(lines, each) for each in parts)
    return found


def gradients_of(node: ast.AST) -> list[ast.keyword]:
    """What a call `name.gradient(...)` states; nothing if a node is no such call."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "gradient"):
        return []
    return node.keywords if isinstance(node.func.value, ast.Name) else []


def segment(lines: list[str], node: ast.expr | ast.stmt) -> str:
    """The text of a node, as `ast.get_source_segment` finds it, from lines that were parted once."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    # columns count bytes
    chosen = [line.encode() for line in lines[first : last + 1]]
    chosen[-1] = chosen[-1][: node.end_col_offset]
    chosen[0] = chosen[0][node.col_offset :]
    return textwrap.dedent(b"".join(chosen).decode())


def text_of(formula: Callable) -> str:
    """The source of a formula that was made elsewhere."""
    try:
        return inspect.cleandoc(inspect.getsource(formula)).rstrip(",")
    except (OSError, TypeError):
        return "given by a function without source"


def samples_of(op: Op, last: str) -> Iterator[str]:
    """The first calls that make the op's tests."""
    made = [] if op.samples is None else op.samples()
    for place, sample in enumerate(made[:MOST_SAMPLES]):
        given = [*map(brief, sample.args), *(f"{name}={brief(value)}" for name, value in sample.kwargs.items())]
        yield row("samples" if place == 0 else "", f"{last}({', '.join(given)})")
    if len(made) > MOST_SAMPLES:
        yield row("", f"and {len(made) - MOST_SAMPLES} more")


def brief(value: Any) -> str:
    """An argument of a sample: arrays by dtype and shape."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, (list, tuple)) and any(isinstance(each, np.ndarray) for each in value):
        return f"[{', '.join(map(brief, value))}]"
    return repr(value)


def about_other(name: str, thing: Any) -> Iterator[str]:
    """The page of a class, or of a function that is no op."""
    try:
        shown = str(inspect.signature(thing))
    except ValueError:
        shown = "(...)"
    yield f"torch.{name}{shown}"
    yield ""
    yield textwrap.indent(inspect.cleandoc(thing.__doc__ or "It has no description."), "    ")
    yield ""
    yield row("declared", where(thing))
