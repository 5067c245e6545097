"""Sources: lines of the program's text that do something which no call shows, such as a write of NumPy's."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any

from rushlight.doctor.names import user_frames, variables_of
from rushlight.errors.location import Location, line_number

STORING = "append appendleft add push put store insert extend update remember save record log observe cache".split()
SETTING_UP = ("__init__", "reset")
WRITING = "fill sort partition put itemset setfield".split()


@functools.lru_cache(maxsize=16)
def tree_of(path: str) -> ast.Module | None:
    """A file of the program, parsed."""
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):
        return None


def nodes_of(path: str) -> Iterator[Any]:
    tree = tree_of(path)
    return iter(()) if tree is None else ast.walk(tree)


def place_of_line(path: str, line: int, near: Location | None = None) -> Location | None:
    """A line as a place: the first instruction on it, of the code that it belongs to."""
    for code in codes_of(path, near):
        for start, _, number in code.co_lines():
            if number == line:
                return code, start
    return None


def codes_of(path: str, near: Location | None) -> Iterator[CodeType]:
    """The code of a file as it runs now: what is on the stack, and the functions inside."""
    stack = [frame.f_code for frame in user_frames()] + ([] if near is None else [near[0]])
    seen: set[int] = set()
    while stack:
        code = stack.pop()
        if id(code) not in seen and code.co_filename == path:
            seen.add(id(code))
            yield code
            stack += [each for each in code.co_consts if isinstance(each, CodeType)]
    text = "".join(linecache.getlines(path))
    if text:
        yield from inside(compile(text, path, "exec", dont_inherit=True))


def inside(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from inside(each)


def names_of(is_wanted: Callable[[Any], bool]) -> set[str]:
    """What the program calls objects of some kind now: variables, and attributes of objects, `self.x` to themselves."""
    found: set[str] = set()
    seen: set[int] = set()
    for frame in user_frames():
        for names in variables_of(frame):
            if id(names) in seen:
                continue
            seen.add(id(names))
            for name, each in list(names.items()):
                if is_wanted(each):
                    found.add(name)
                elif not isinstance(each, (type, ModuleType)):
                    inner = [key for key, value in list(getattr(each, "__dict__", {}).items()) if is_wanted(value)]
                    found.update(f"{holder}.{key}" for key in inner for holder in ("self", name))
    return found


def mentions(node: ast.AST, names: set[str]) -> bool:
    """Whether an expression is one of the names, or holds one as it is: in a tuple, or wrapped without a copy."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return ast.unparse(node) in names
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(mentions(each, names) for each in node.elts)
    if isinstance(node, ast.Dict):
        return any(mentions(each, names) for each in node.values)
    if isinstance(node, ast.keyword):
        return mentions(node.value, names)
    if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
        last = ast.unparse(node.func).rsplit(".", 1)[-1]
        wraps = last[:1].isupper() or last in ("from_numpy", "as_tensor", "asarray")
        return wraps and any(mentions(each, names) for each in [*node.args, *node.keywords])
    return False


def lines_that_store(path: str, names: set[str]) -> list[int]:
    """Lines that put one of the names away as it is: `buffer.append(obs)`, `log[step] = loss`, `total += loss`."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STORING:
            if any(mentions(each, names) for each in [*node.args, *node.keywords]):
                found.append(node.lineno)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            if mentions(node.value, names):
                found.append(node.lineno)
        elif isinstance(node, ast.AugAssign) and isinstance(node.value, ast.List) and mentions(node.value, names):
            found.append(node.lineno)
    return sorted(found)


def lines_that_write(path: str, names: set[str]) -> list[int]:
    """Lines that write into the memory of one of the names: `buffer[0] = 1`, `buffer *= 2`, `np.copyto(buffer, x)`."""
    lines = sorted(node.lineno for node in nodes_of(path) if writes(node, names))
    # what sets things up has run before a value is needed
    setting_up = [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef) and node.name in SETTING_UP]
    inside = [line for line in lines if any(node.lineno <= line <= node.end_lineno for node in setting_up)]
    return [line for line in lines if line not in inside] or lines


def writes(node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, ast.Assign):
        return any(isinstance(each, ast.Subscript) and mentions(each.value, names) for each in node.targets)
    if isinstance(node, ast.AugAssign):
        target = node.target.value if isinstance(node.target, ast.Subscript) else node.target
        return mentions(target, names)
    if not isinstance(node, ast.Call):
        return False
    if any(each.arg == "out" and mentions(each.value, names) for each in node.keywords):
        return True
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in WRITING and mentions(node.func.value, names):
        return True
    first = bool(node.args) and mentions(node.args[0], names)
    return first and node.func.attr in ("copyto", "shuffle", "put", "place", "putmask", "fill_diagonal")


def lines_that_set_rate(path: str) -> list[int]:
    """Lines that set a learning rate by hand: `group["lr"] = rate`."""
    found = []
    for node in nodes_of(path):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        )
        for each in targets:
            if isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Constant) and each.slice.value == "lr":
                found.append(node.lineno)
    return sorted(found)


def lines_without_call(path: str, name: str) -> list[int]:
    """Lines that name a method and do not call it: `optimizer.step`."""
    return sorted(
        node.lineno
        for node in nodes_of(path)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute) and node.value.attr == name
    )


def nearest_after(lines: list[int], place: Location | None, before: Location | None) -> int | None:
    """Of lines, the first between two places of one file; else the first after the one, else any."""
    start = -1 if place is None else line_number(place)
    end = float("inf") if before is None else line_number(before)
    between = [each for each in lines if start <= each <= end]
    return next(iter(between or [each for each in lines if each >= start] or lines), None)
