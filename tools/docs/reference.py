"""The reference: a page for each family of ops, and one for each public module."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import rushlight
from rushlight.ops.machine.bind import METHOD_ONLY
from rushlight.ops.machine.declare import Op
from rushlight.ops.machine.late import registry
from tools import coverage
from tools.docs.entries import documentation, entry, kernels
from tools.stubs.faces import forms

# families in the order of the tree, with what a reader calls them
FAMILIES = {
    "pointwise": "Element by element",
    "reductions": "Reductions",
    "shape": "Shapes and views",
    "indexing": "Indexing",
    "products": "Products",
    "images": "Convolutions, pooling, images",
    "sequences": "Sequences",
    "normalization": "Normalization",
    "losses": "Losses",
    "linalg": "Linear algebra",
    "fourier": "Fourier transforms",
    "random": "Random numbers",
    "special": "Special functions",
    "masked": "Masked",
    "windows": "Windows",
}

# modules that torch has not
BEYOND = ("torch.doctor", "torch.compat")
WELCOME = """# Reference

Every public name, from the declarations of the operations, the docstrings and the stubs. An operation shows its
signature, a sentence, an example that the tests run, its gradient as the formula that is run, and whether native code
has a kernel for it. The search box finds names: try `cross_entropy`."""


class Name:
    """A public name: where it is, what it is, and the op behind it."""

    def __init__(self, full: str, thing: Any, op: Op | None, in_place: bool):
        self.full, self.thing, self.op, self.in_place = full, thing, op, in_place


def write(target: Path) -> dict[str, list[tuple[str, str]]]:
    """Write all pages; what the navigation shows, by chapter: title and path."""
    native = kernels()
    folder = target / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    families, of_op = pages_of_ops()
    chapters: dict[str, list[tuple[str, str]]] = {"Operations": [], "Modules": []}
    for family, ops in families.items():
        text = "\n".join([f"# {FAMILIES[family]}", "", *(of_family(op, native) for op in ops)])
        (folder / f"ops_{family}.md").write_text(text, encoding="utf-8")
        chapters["Operations"].append((FAMILIES[family], f"reference/ops_{family}.md"))
    for place, names in modules():
        text = "\n".join(of_module(place, names, native, of_op))
        (folder / f"{place}.md").write_text(text, encoding="utf-8")
        chapters["Modules"].append((place, f"reference/{place}.md"))
    (folder / "index.md").write_text(contents(chapters), encoding="utf-8")
    return chapters


def pages_of_ops() -> tuple[dict[str, list[Op]], dict[str, str]]:
    """The public ops by family, and the page of each op."""
    found: dict[str, list[Op]] = {family: [] for family in FAMILIES}
    pages = {}
    for name, op in sorted(registry().items()):
        family = op.body.__module__.split(".")[2]
        if not any(part.startswith("_") for part in name.split(".")) and family in found:
            found[family].append(op)
            pages[name] = f"ops_{family}.md#{shown_name(op)}"
    return found, pages


def shown_name(op: Op) -> str:
    return f"Tensor.{op.name}" if op.name in METHOD_ONLY else op.name


def of_family(op: Op, native: dict[str, str]) -> str:
    return entry(shown_name(op), op.function, native, op)


def modules() -> Iterator[tuple[str, list[Name]]]:
    """Each public module or class of torch that is here, with its names."""
    known, tool = forms(), coverage.Coverage()
    listed = coverage.read(coverage.NAMES)
    for place in (*coverage.MODULES, *BEYOND):
        found = coverage.locate(rushlight, place)
        if found is None:
            continue
        own = getattr(found.value, "__all__", ()) if isinstance(found.value, ModuleType) else ()
        names = []
        for word in sorted({*listed.get(place, ()), *own}):
            value = coverage.locate(rushlight, f"{place}.{word}")
            if value is None or word.startswith("_") or not tool.has(f"{place}.{word}"):
                continue
            op, in_place = known.get(id(value.value), (None, False))
            names.append(Name(f"{place}.{word}".removeprefix("torch."), value.value, op, in_place))
        if names:
            yield place, names


def of_module(place: str, names: list[Name], native: dict[str, str], of_op: dict[str, str]) -> Iterator[str]:
    """The page of a module: its ops by reference, everything else in full."""
    yield f"# {place}"
    yield ""
    thing = coverage.locate(rushlight, place).value
    yield sentence(documentation(thing))
    yield ""
    ops = [each for each in names if each.op is not None and each.op.name in of_op]
    rest = [each for each in names if each not in ops]
    if ops:
        yield from ["## Operations", "", "| name | what it does |", "| --- | --- |"]
        yield from (row(each, of_op[each.op.name]) for each in ops)
        yield ""
    plain = [each for each in rest if not callable(each.thing) or isinstance(each.thing, ModuleType)]
    for each in rest:
        if each not in plain:
            yield entry(each.full, each.thing, native)
    if plain:
        yield from ["## Values and modules", "", "| name | what it is |", "| --- | --- |"]
        yield from (value_row(each) for each in plain)
        yield ""


def row(name: Name, page: str) -> str:
    said = sentence(name.op.doc) if not name.in_place else f"In place: {lower(sentence(name.op.doc))}"
    return f"| [`{name.full}`]({page}) | {said} |"


def lower(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def value_row(name: Name) -> str:
    said = sentence(documentation(name.thing))
    if not said:
        said = f"`{name.thing!r}`" if isinstance(name.thing, (int, float, str, bool, type(None))) else kind(name.thing)
    return f"| `{name.full}` | {said} |"


def kind(thing: Any) -> str:
    return f"a {type(thing).__name__}".replace("_", " ")


def sentence(doc: str) -> str:
    """The first paragraph of a docstring, on one line that a table can hold."""
    return " ".join(inspect.cleandoc(doc).partition("\n\n")[0].split()).replace("|", r"\|")


def contents(chapters: dict[str, list[tuple[str, str]]]) -> str:
    """The first page of the reference."""
    lines = [WELCOME]
    for chapter, pages in chapters.items():
        lines += ["", f"## {chapter}", ""]
        lines += [f"- [{title}]({path.removeprefix('reference/')})" for title, path in pages]
    return "\n".join(lines) + "\n"
