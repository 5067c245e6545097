"""Statements of the program that say what a watched run alone does not show: updates, joined ends of episodes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rushlight.doctor.sources import tree_of
from rushlight.errors.location import Location, line_number

JOINING_CALLS = {"logical_or", "bitwise_or", "maximum", "max", "any", "bool", "float", "int"}


def names_of_update(place: Location | None) -> tuple[str, str] | None:
    """The networks of `target.load_state_dict(online.state_dict())`, or of the loop over both that is around a line."""
    tree = None if place is None else tree_of(place[0].co_filename)
    if place is None or tree is None:
        return None
    line = line_number(place)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and covers(node, line) and called(node) == "load_state_dict" and node.args:
            given = [each for each in ast.walk(node.args[0]) if called(each) == "state_dict"]
            return (holder(node), holder(given[0])) if given else None
    loops = [each for each in ast.walk(tree) if isinstance(each, ast.For) and covers(each, line)]
    for loop in reversed(loops):
        held = [holder(each) for each in ast.walk(loop.iter) if called(each) in ("parameters", "named_parameters")]
        if len(held) == 2:
            return held[0], held[1]
    return None


def covers(node: Any, line: int) -> bool:
    return bool(node.lineno <= line <= (node.end_lineno or node.lineno))


def called(node: Any) -> str:
    """The name of the function or method that a node calls."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def holder(node: Any) -> str:
    return ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""


def assignment_between(filename: str, names: set[str]) -> tuple[int, str, str] | None:
    """The line of `one = other`, where both are among the names of one object, and these two."""
    tree = tree_of(filename)
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, (ast.Name, ast.Attribute)):
            for each in node.targets if isinstance(node, ast.Assign) else [node.target]:
                one, other = last_name(each), last_name(node.value)
                if one in names and other in names and ast.unparse(each) != ast.unparse(node.value):
                    return node.lineno, ast.unparse(each), ast.unparse(node.value)
    return None


def last_name(node: Any) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


@dataclass
class TimeLimit:
    """An end of episodes that is also true at a time limit, and where it cuts off values."""

    name: str
    terminated: str
    joined: int
    used: int


def time_limits_in(filename: str) -> Iterator[TimeLimit]:
    """Where `terminated or truncated` stops a bootstrap."""
    tree = tree_of(filename)
    if tree is None:
        return
    for terminated, truncated in steps_of_environments(tree):
        if is_used_alone(tree, terminated, truncated):
            continue
        for node, name in joined_ends(tree, terminated, truncated):
            used = bootstrap_stopped_by(tree, name)
            if used is not None:
                yield TimeLimit(name, terminated, node.lineno, used)


def steps_of_environments(tree: ast.Module) -> set[tuple[str, str]]:
    """The names of the third and fourth of five results of `env.step(action)`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and called(node.value) == "step" and isinstance(node.targets[0], ast.Tuple):
            parts = [ast.unparse(each) for each in node.targets[0].elts]
            if len(parts) == 5 and parts[2] != parts[3]:
                found.add((parts[2], parts[3]))
    return found


def is_join(node: Any, names: set[str]) -> bool:
    """Whether an expression is true where either is."""
    joins = (
        (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or))
        or (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitOr, ast.Add)))
        or called(node) in JOINING_CALLS
    )
    return joins and names <= {
        ast.unparse(each) for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Attribute))
    }


def joined_ends(tree: ast.Module, terminated: str, truncated: str) -> Iterator[tuple[Any, str]]:
    """Assignments of `terminated or truncated`, and the names they give it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and is_join(node.value, {terminated, truncated}):
            for each in node.targets:
                yield node, ast.unparse(each)
        elif isinstance(node, ast.Call) and called(node) not in JOINING_CALLS:
            for given in [*node.args, *(each.value for each in node.keywords)]:
                for part in given.elts if isinstance(given, ast.Tuple) else [given]:
                    if is_join(part, {terminated, truncated}):
                        yield part, "done"


def is_used_alone(tree: ast.Module, terminated: str, truncated: str) -> bool:
    """Whether the true end goes anywhere without the time limit: then the two are told apart."""
    for node in ast.walk(tree):
        if is_join(node, {terminated, truncated}):
            continue
        parts: list[Any] = []
        if isinstance(node, ast.Call) and called(node) not in {"print", "bool", "any"}:
            parts = [*node.args, *(each.value for each in node.keywords)]
        elif isinstance(node, (ast.BinOp, ast.UnaryOp)):
            parts = list(ast.iter_child_nodes(node))
        elif isinstance(node, ast.IfExp):
            parts = [node.test]
        elif isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Tuple):
            parts = [node.value]
        elif isinstance(node, (ast.Tuple, ast.List, ast.Dict)) and not isinstance(
            getattr(node, "ctx", None), ast.Store
        ):
            parts = list(ast.iter_child_nodes(node))
        if any(isinstance(each, (ast.Name, ast.Attribute)) and ast.unparse(each) == terminated for each in parts):
            return True
    return False


def bootstrap_stopped_by(tree: ast.Module, name: str) -> int | None:
    """The line on which an end, or what a memory of ends gives back, makes the value of what follows nothing."""
    for node in ast.walk(tree):
        test: Any = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and is_one(node.left):
            test = node.right
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            test = node.operand
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            sides: tuple[Any, ...] = node.left, node.right
            test = next((each.operand for each in sides if is_not(each)), None)
        elif isinstance(node, ast.IfExp):
            test = node.test
        elif called(node) in ("where", "logical_not") and node.args:  # type: ignore[attr-defined]
            test = node.args[0]  # type: ignore[attr-defined]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript) and is_zero(node.value):
            test = node.targets[0].slice
        if test is not None and any(is_like(each, name) for each in ast.walk(test)):
            return int(node.lineno)  # type: ignore[attr-defined]
    return None


def is_not(node: Any) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def is_one(node: Any) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def is_zero(node: Any) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def is_like(node: Any, name: str) -> bool:
    """Whether a name is that of an end or of many of them: done, dones, done_batch, d, self.dones."""
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    one, other = last_name(node).lower().strip("_"), name.rsplit(".", 1)[-1].lower().strip("_")
    return bool(one) and (
        one[:4] == other[:4] or other in one or one in ("done", "dones", "d", "terminal", "terminals")
    )
