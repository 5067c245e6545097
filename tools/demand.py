"""What public packages ask of torch, and what of it is missing: names by the number of packages that use them.

    python tools/demand.py wheels/*.whl [--all] [--where NAME]

Reads the Python files of wheels or folders, collects every name of torch that they import or reach by attributes, and
asks Rushlight for each. Names that are read when a module is imported count separately: one of those that is missing
stops a program at once. `pip download --no-deps NAME` gets a wheel.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import sys
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass
class Use:
    """The packages that use a name: all, those at import, and where one of them does."""

    packages: set[str] = field(default_factory=set)
    at_import: set[str] = field(default_factory=set)
    places: list[str] = field(default_factory=list)


class Reader(ast.NodeVisitor):
    """Collects the names of torch in one file."""

    def __init__(self) -> None:
        self.modules: dict[str, str] = {}
        self.found: list[tuple[str, bool, int]] = []
        self.depth = 0
        self.guarded = 0

    def note(self, name: str, line: int) -> None:
        self.found.append((name, not self.depth and not self.guarded, line))

    def visit_Import(self, node: ast.Import) -> None:
        for each in node.names:
            if is_torch(each.name):
                self.modules[each.asname or "torch"] = each.name if each.asname else "torch"
                self.note(each.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or not is_torch(node.module or ""):
            return
        for each in node.names:
            name = f"{node.module}.{each.name}"
            if each.name != "*":
                self.modules[each.asname or each.name] = name
            self.note(name.removesuffix(".*"), node.lineno)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts = [node.attr]
        base: ast.AST = node.value
        while isinstance(base, ast.Attribute):
            parts.append(base.attr)
            base = base.value
        if isinstance(base, ast.Name) and base.id in self.modules:
            self.note(".".join([self.modules[base.id], *reversed(parts)]), node.lineno)
        else:
            self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> None:
        # what is tried is expected to be missing now and then
        self.guarded += 1
        for each in node.body:
            self.visit(each)
        self.guarded -= 1
        for each in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(each)

    def visit_If(self, node: ast.If) -> None:
        # conditions on versions and devices guard what they enclose
        self.visit(node.test)
        self.guarded += 1
        for each in (*node.body, *node.orelse):
            self.visit(each)
        self.guarded -= 1

    def visit(self, node: ast.AST) -> None:
        if not isinstance(node, FUNCTIONS):
            super().visit(node)
            return
        # decorators and defaults are read where the function is made; annotations too, if nobody put them off
        for each in (*getattr(node, "decorator_list", ()), *node.args.defaults, *filter(None, node.args.kw_defaults)):
            super().visit(each)
        self.depth += 1
        body = node.body if isinstance(node.body, list) else [node.body]
        for statement in body:
            self.visit(statement)
        self.depth -= 1


def is_torch(name: str) -> bool:
    return name == "torch" or name.startswith("torch.")


def sources(path: Path) -> Iterator[tuple[str, str]]:
    """Name and text of the Python files in a wheel or a folder, tests left out."""
    if path.is_dir():
        files = {str(each.relative_to(path)): each.read_bytes for each in path.rglob("*.py")}
    else:
        archive = zipfile.ZipFile(path)
        files = {each: (lambda each=each: archive.read(each)) for each in archive.namelist() if each.endswith(".py")}
    for name, read in files.items():
        if not {"test", "tests", "testing"} & set(Path(name).parts[:-1]):
            yield name, read().decode("utf-8", "replace")


def collect(paths: list[Path]) -> dict[str, Use]:
    """Every name of torch in some packages, with who uses it."""
    uses: dict[str, Use] = defaultdict(Use)
    for path in paths:
        package = path.name.split("-")[0]
        for file, text in sources(path):
            reader = Reader()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    reader.visit(ast.parse(text))
            except SyntaxError:
                continue
            for name, at_import, line in reader.found:
                use = uses[name]
                use.packages.add(package)
                use.places.append(f"{file}:{line}")
                if at_import:
                    use.at_import.add(package)
    return uses


def reach(name: str) -> Any:
    """What a dotted name means; LookupError if there is nothing."""
    parts = name.split(".")
    found = importlib.import_module(parts[0])
    for place, part in enumerate(parts[1:], 1):
        try:
            found = getattr(found, part)
        except Exception as error:
            try:
                found = importlib.import_module(".".join(parts[: place + 1]))
            except Exception:
                raise LookupError(name) from error
    return found


def has(name: str, library: str) -> bool:
    """Whether a library has a name; attributes of instances and of classes that need a call are not followed."""
    try:
        reach(name.replace("torch", library, 1))
    except LookupError:
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, help="wheels or folders")
    parser.add_argument("--all", action="store_true", help="show also what is there")
    parser.add_argument("--where", help="show where one name is used")
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    warnings.simplefilter("ignore")
    uses = collect(given.paths)
    if given.where:
        print("\n".join(uses[given.where].places))
        return
    # with torch installed, names that torch itself lacks are left out
    judge = importlib.util.find_spec("torch") is not None
    rows = []
    for name, use in uses.items():
        there = has(name, "rushlight")
        if given.all or (not there and (not judge or has(name, "torch"))):
            rows.append((len(use.at_import), len(use.packages), name, there))
    print(f"{len(uses)} names in {len(given.paths)} packages; {sum(not row[3] for row in rows)} are missing")
    print("at import   packages   name")
    for at_import, packages, name, there in sorted(rows, key=lambda row: (-row[0], -row[1], row[2])):
        print(f"{at_import:>9}   {packages:>8}   {name}{'' if not given.all or there else '  (missing)'}")


if __name__ == "__main__":
    main()
