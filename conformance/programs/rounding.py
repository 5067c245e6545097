"""Rounding: whether torch's own answer moves as far when the numbers of a program move by a unit in the last place."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np

from conformance.programs.execution import Execution
from conformance.programs.program import Program
from conformance.programs.snapshot import Shown
from conformance.programs.verdict import Finding

UNIT = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52, "complex64": 2.0**-23}
TENSOR = re.compile(r"torch\.tensor\((.*?), dtype=torch\.(\w+)\)")
FLOAT = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?")
TRIES = 4
# two libraries round at every step, the moved numbers only at the first
MARGIN = 4.0


def is_rounding(program: Program, finding: Finding) -> bool:
    """Whether a difference of values is no larger than what a last digit of the program's numbers does to torch."""
    if finding.difference.kind != "value":
        return False
    place, statements = finding.difference.place, program.statements[: finding.number + 1]
    torch, ours = (answer(program, statements, library, place) for library in ("torch", "rushlight"))
    apart = distance(torch, ours)
    if not np.isfinite(apart):
        return False
    moves = random.Random(program.seed)
    for _ in range(TRIES):
        moved = [move(each, moves) for each in statements]
        reach = distance(torch, answer(program, moved, "torch", place))
        if np.isfinite(reach) and apart <= MARGIN * reach:
            return True
    return False


def move(statement: str, moves: random.Random) -> str:
    """The statement with each number in its tensors a unit larger, smaller, or as it was."""

    def tensor(match: re.Match) -> str:
        unit = UNIT.get(match[2])
        return match[0] if unit is None else FLOAT.sub(lambda number: scaled(number[0], unit), match[0])

    def scaled(number: str, unit: float) -> str:
        return repr(float(number) * (1 + unit * moves.choice((-1, 0, 1))))

    return TENSOR.sub(tensor, statement)


def answer(program: Program, statements: list[str], library: str, place: str) -> Any:
    """What stands at a place, such as `x3.grad` or `o4.2.1`, after the statements."""
    execution = Execution(library, program.seed)
    for each in statements:
        execution.run(each)
    name, *path = place.split(".")
    record = execution.show().get(name)
    try:
        for part in path:
            record = record.grad if part == "grad" else record[int(part)]
    except (AttributeError, IndexError, TypeError):  # the moved numbers led elsewhere
        return None
    return record


def distance(one: Any, two: Any) -> float:
    """The largest distance between two records of numbers; infinite where they cannot be compared."""
    if isinstance(one, Shown) and isinstance(two, Shown):
        one, two = one.values, two.values
    if not all(isinstance(each, (float, np.ndarray)) for each in (one, two)) or np.shape(one) != np.shape(two):
        return np.inf
    one, two = np.asarray(one), np.asarray(two)
    known = np.isfinite(one)
    if one.dtype.kind not in "fc" or not np.array_equal(one[~known], two[~known], equal_nan=True):
        return np.inf
    return float(np.abs(one[known] - two[known]).max(initial=0.0))
