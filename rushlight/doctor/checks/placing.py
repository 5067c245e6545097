"""Placing: the line to show for a layer, and the statement that a line belongs to."""

from __future__ import annotations

import ast
import functools
import linecache
from typing import TYPE_CHECKING

from rushlight.doctor.trace import Record
from rushlight.errors.location import Location, line_number

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch


def layer_place(watch: Watch, record: Record) -> Location | None:
    """The line of a call; of a layer of nn.Sequential, which the program calls nowhere, the line that made it."""
    from rushlight.nn.modules.container import Sequential

    module = record.module
    if module is None or not type(module).__module__.startswith(("rushlight.", "torch.")):
        return record.place
    for each in watch.lives.living_modules():
        if isinstance(each, Sequential) and any(one is module for one in each._modules.values()):
            return watch.lives.of_module(module).place or record.place
    return record.place


def line_of(place: Location | None) -> tuple[str, int] | None:
    return None if place is None else (place[0].co_filename, line_number(place))


def in_one_statement(one: Location | None, other: Location | None) -> bool:
    """Whether two places are in the same statement of the program."""
    here, there = line_of(one), line_of(other)
    if here is None or there is None or here[0] != there[0]:
        return False
    return here == there or (statement(*here) is not None and statement(*here) == statement(*there))


def statement(path: str, line: int) -> tuple[int, int] | None:
    """The first and last line of the innermost statement around a line."""
    found = [each for each in statements(path) if each[0] <= line <= each[1]]
    return min(found, key=lambda each: each[1] - each[0]) if found else None


@functools.cache
def statements(path: str) -> list[tuple[int, int]]:
    """The lines of every simple statement of a file."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:
        return []
    return [
        (each.lineno, each.end_lineno or each.lineno)
        for each in ast.walk(tree)
        if isinstance(each, ast.stmt) and not hasattr(each, "body")
    ]
