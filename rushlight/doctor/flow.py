"""Flow: where in a program's source a value goes that no tensor shows any more, as a number or an array."""

from __future__ import annotations

import ast
import functools
import itertools
import linecache
from collections.abc import Iterator
from typing import Any

from rushlight.errors import location
from rushlight.errors.location import Location

# a name as it is known in a function, or an attribute, which has one name everywhere
Name = tuple[Any, str]
ATTRIBUTE, MODULE = "attribute", "module"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# what holds other statements shows only its first line here
COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# methods that put their arguments into the object
FILLING = {"append", "extend", "insert", "add", "update", "put", "appendleft", "push", "store"}
# an environment's answer is no form of the action
WORLDS = {"step", "reset"}


class Source:
    """The statements of one file, and which names each of them reads and binds."""

    def __init__(self, text: str):
        self.functions: dict[str, ast.FunctionDef] = {}
        self.statements: list[tuple[ast.stmt, Any]] = []
        self.own: dict[Any, set[str]] = {}
        self.collect(ast.parse(text), MODULE)
        self.rows = [(*each, self.reads(*each), self.binds(*each)) for each in self.statements]

    def collect(self, node: ast.AST, scope: Any) -> None:
        for child in ast.iter_child_nodes(node):
            inside = scope
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions[child.name] = child  # type: ignore[assignment]
                inside = child
                self.own[child] = {each.arg for each in [*child.args.posonlyargs, *child.args.args]}
            if isinstance(child, ast.stmt):
                self.statements.append((child, scope))
                self.own.setdefault(scope, set()).update(
                    each.id for each in ast.walk(child) if isinstance(each, ast.Name) and is_bound(each)
                )
            self.collect(child, inside)

    def at(self, line: int) -> tuple[ast.stmt, Any] | None:
        """The innermost statement on a line."""
        found = [each for each in self.statements if each[0].lineno <= line <= last_line(each[0])]
        return max(found, key=lambda each: each[0].lineno, default=None)

    def known_as(self, node: ast.AST, scope: Any) -> Name | None:
        if isinstance(node, ast.Attribute):
            return ATTRIBUTE, node.attr
        if isinstance(node, ast.Name):
            return (scope if node.id in self.own.get(scope, ()) else MODULE), node.id
        return None

    def reads(self, statement: ast.stmt, scope: Any) -> set[Name]:
        """The names that a statement takes values from."""
        found = {self.known_as(each, scope) for each in own_nodes(statement) if not is_bound(each)}
        if isinstance(statement, ast.AugAssign):
            found.add(self.known_as(statement.target, scope))
        return {each for each in found if each is not None}

    def binds(self, statement: ast.stmt, scope: Any) -> set[Name]:
        """The names that get their value from a statement, also a list it adds to, or the function it returns from."""
        found = {self.known_as(each, scope) for each in own_nodes(statement) if is_bound(each)}
        for each in own_nodes(statement):
            if isinstance(each, ast.Subscript) and is_bound(each):
                found.add(self.known_as(each.value, scope))
            elif isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in FILLING:
                found.add(self.known_as(each.func.value, scope))
        returns = isinstance(statement, ast.Return) or any(isinstance(each, ast.Yield) for each in own_nodes(statement))
        if returns and hasattr(scope, "name"):
            found |= {(MODULE, scope.name), (ATTRIBUTE, scope.name)}
        return {each for each in found if each is not None}

    def passes(self, statement: ast.stmt, scope: Any, names: set[Name]) -> set[Name]:
        """The parameters of the file's own functions that a statement gives one of the names to."""
        found: set[Name] = set()
        for call in own_nodes(statement):
            called = getattr(call, "func", None)
            function = self.functions.get(getattr(called, "id", getattr(called, "attr", "")))
            if function is None or not isinstance(call, ast.Call):
                continue
            taken = [each.arg for each in function.args.args]
            taken = taken[1:] if isinstance(called, ast.Attribute) and taken[:1] == ["self"] else taken
            for name, given in zip(taken, call.args, strict=False):
                if any(self.known_as(each, scope) in names for each in ast.walk(given)):
                    found.add((function, name))
        return found


def is_bound(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def last_line(statement: ast.stmt) -> int:
    if isinstance(statement, COMPOUND):
        return max(getattr(statement.body[0], "lineno", statement.lineno) - 1, statement.lineno)
    return statement.end_lineno or statement.lineno


def own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements inside."""
    stack: list[ast.AST] = [statement]
    while stack:
        each = stack.pop()
        yield each
        if not (isinstance(each, FUNCTIONS) and each is statement):
            stack.extend(child for child in ast.iter_child_nodes(each) if not isinstance(child, ast.stmt))


@functools.lru_cache(maxsize=64)
def source_of(filename: str) -> Source | None:
    """The source of a file, if it is there and can be read."""
    try:
        return Source("".join(linecache.getlines(filename)))
    except SyntaxError:
        return None


@functools.lru_cache(maxsize=64)
def names_from(place: Location) -> set[Name]:
    """The names that hold what was made on a line, or something computed from it."""
    source = source_of(place[0].co_filename)
    first = None if source is None else source.at(location.line_number(place))
    if source is None or first is None:
        return set()
    found = source.binds(*first)
    size = -1
    while len(found) != size:
        size = len(found)
        for statement, scope, reads, binds in source.rows:
            if found & reads and not asks_world(statement):
                found |= binds | source.passes(statement, scope, found)
    return found


def asks_world(statement: ast.stmt) -> bool:
    return any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in WORLDS
        for each in own_nodes(statement)
    )


def takes(place: Location, names: set[Name], start: Location) -> bool:
    """Whether the statement on a line reads one of the names, or is the one that they start from."""
    source = source_of(place[0].co_filename)
    found = None if source is None else source.at(location.line_number(place))
    if source is None or found is None:
        return False
    same = place[0].co_filename == start[0].co_filename and found == source.at(location.line_number(start))
    return same or bool(names & source.reads(*found))


def call_on(place: Location, *names: str) -> ast.Call | None:
    """The call of a function by one of these names at a place, as the source has it."""
    source = source_of(place[0].co_filename)
    found = None if source is None else source.at(location.line_number(place))
    calls = [
        each
        for each in (own_nodes(found[0]) if found is not None else ())
        if isinstance(each, ast.Call) and getattr(each.func, "attr", getattr(each.func, "id", "")) in names
    ]
    # of two calls on a line, the one whose columns are those of the instruction
    columns = next(itertools.islice(place[0].co_positions(), max(place[1], 0) // 2, None), None)
    exact = [each for each in calls if (each.lineno, each.end_lineno, each.col_offset, each.end_col_offset) == columns]
    return next(iter(exact or calls), None)
