"""One name of the library as an entry of the reference: signature, sentence, example, gradients, kernel."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rushlight
from rushlight.cli.show import formulas, other_forms
from rushlight.ops.machine.bind import METHOD_ONLY
from rushlight.ops.machine.declare import Op

PACKAGE = Path(rushlight.__file__).parent
# beyond this a signature has a line for each parameter
WIDE = 96
ADDRESS = re.compile(r"<(?P<kind>[\w.]+)? ?(?P<name>[\w.]+) at 0x[0-9a-f]+>")


class Written:
    """An annotation that is shown as it is written."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def signature_of(name: str, thing: Any) -> str:
    """How a name is called: as its stub says, where there is one, or else as Python sees it."""
    place, _, last = name.rpartition(".")
    stubs = stub(place.replace(".", "/")).get(last, [])
    if stubs:
        return "\n".join(folded(f"torch.{name}", *each) for each in stubs)
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return f"torch.{name}"
    parameters = [each.replace(annotation=unquoted(each.annotation)) for each in found.parameters.values()]
    shown = [ADDRESS.sub(r"\g<name>", str(each)) for each in starred(parameters)]
    result = (
        "" if found.return_annotation is found.empty or inspect.isclass(thing) else unquoted(found.return_annotation)
    )
    return folded(f"torch.{name}", shown, str(getattr(result, "__name__", result)))


def unquoted(annotation: Any) -> Any:
    return Written(annotation) if isinstance(annotation, str) else annotation


def starred(parameters: list[inspect.Parameter]) -> Iterator[str]:
    """Parameters as they are written, with the star before those that have to be named."""
    named = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not named:
            named = True
            yield "*"
        yield str(each)


def folded(name: str, parameters: list[str], result: str) -> str:
    """A call in one line, or in one line for each parameter."""
    arrow = f" -> {result}" if result else ""
    whole = f"{name}({', '.join(parameters)}){arrow}"
    if len(whole) <= WIDE:
        return whole
    return "\n".join([f"{name}(", *(f"    {each}," for each in parameters), f"){arrow}"])


@functools.cache
def stub(place: str) -> dict[str, list[tuple[list[str], str]]]:
    """Parameters and result of each function in the stub of a module, one pair for each overload."""
    paths = [PACKAGE / place / "__init__.pyi", PACKAGE / f"{place}.pyi"]
    if place == "Tensor":
        paths = [PACKAGE / "core/object/methods.pyi"]
    found: dict[str, list[tuple[list[str], str]]] = {}
    for path in filter(Path.is_file, paths):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                pair = parameters_in(node.args), ast.unparse(node.returns) if node.returns else ""
                found.setdefault(node.name, []).append(pair)
    return found


def parameters_in(arguments: ast.arguments) -> list[str]:
    """The parameters of a stub, with defaults, types by their plain names."""
    text = ast.unparse(arguments)
    text = re.sub(r"\b_(bool|int|float|complex|dtype|layout|memory_format)\b", r"\1", text)
    # commas inside of brackets part nothing
    parts, depth, begin = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    found = [each for each in [*parts, text[begin:].strip()] if each and each != "self"]
    return [re.sub(r"^(\w+: [^=]*[^=\s])=", r"\1 = ", each) for each in found]


def entry(name: str, thing: Any, kernels: dict[str, str], op: Op | None = None, level: str = "##") -> str:
    """The whole entry of a name, under a heading that the search finds."""
    doc = (op.doc if op is not None else None) or documentation(thing)
    # short, so that the search puts cross_entropy before linear_cross_entropy
    title = name.removeprefix("nn.functional.")
    lines = [f"{level} {title} {{ #{name} }}", "", "```py", signature_of(name, thing), "```", ""]
    lines += [prose(doc) or "It has no description.", ""]
    if op is not None:
        lines += about_op(op, kernels)
    return "\n".join(lines)


def documentation(thing: Any) -> str:
    """The docstring that is a name's own: that of a value's class says nothing of the value."""
    if inspect.isclass(thing):
        # its own or that of a base of ours: Python's own classes explain themselves, not the name
        known = [vars(base).get("__doc__") for base in thing.__mro__ if base.__module__.startswith("rushlight")]
        return inspect.cleandoc(next(filter(None, known), ""))
    if inspect.isroutine(thing) or inspect.ismodule(thing) or isinstance(thing, property):
        return inspect.getdoc(thing) or ""
    own = getattr(thing, "__doc__", None)
    return inspect.cleandoc(own) if own and own != type(thing).__doc__ else ""


def prose(doc: str) -> str:
    """A docstring as a page: examples become blocks, all else is text as it is."""
    found, inside = [], False
    for line in inspect.cleandoc(doc).splitlines():
        if line.startswith(">>>") and not inside:
            found += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            found += ["```"]
            inside = False
        found.append(line)
    return "\n".join(found + ["```"] * inside)


def about_op(op: Op, kernels: dict[str, str]) -> list[str]:
    """What the declaration of an op says beside its signature."""
    last = op.name.rpartition(".")[2]
    others = [each for each in other_forms(op, last) if op.name not in METHOD_ONLY or each != f"Tensor.{last}"]
    facts = []
    if others:
        facts.append("also " + ", ".join(f"`{each}`" for each in others))
    facts.append(kernels.get(op.name, "no kernel: NumPy does the work"))
    if op.is_composed:
        facts.append("made of other operations, whose gradients follow")
    lines = [f"*{'; '.join(facts)}*", ""]
    formulae = list(formulas(op))
    for name, text in formulae:
        lines += [f"Gradient of `{name}`:", "", "```py", text, "```", ""]
    if not formulae and not op.is_composed:
        lines += ["No gradient.", ""]
    return lines


def kernels() -> dict[str, str]:
    """What native code does of each op."""
    from rushlight import native

    if native.extension is None:
        raise RuntimeError(f"the reference tells which ops have a kernel: build the native layer ({native.reason})")
    return {
        each.name: "native kernel" if each.gradient is None else "native kernels, for its gradient too"
        for each in native.report()
    }
