"""Verdicts: a program run under torch and under Rushlight, and the first differences between the two."""

from __future__ import annotations

from typing import NamedTuple

from conformance.programs.differences import LEFT, Difference, Drift, compare_statement
from conformance.programs.execution import Execution, Trace
from conformance.programs.program import Program


class Finding(NamedTuple):
    """A difference, and the statement after which it shows."""

    number: int
    statement: str
    difference: Difference


def judge(program: Program, libraries: tuple[str, str] = ("torch", "rushlight")) -> list[Finding]:
    """What differs: soft differences as they first show, up to the first one that changes a result."""
    one, two = [Execution(each, program.seed) for each in libraries]
    found: list[Finding] = []
    known: set[tuple[str, str]] = set()
    drift = Drift()
    for number, statement in enumerate(program.statements):
        drift.read(statement)
        failed = one.run(statement), two.run(statement)
        differences = compare_statement((failed[0], one.show()), (failed[1], two.show()), drift)
        for each in differences:
            # what differed before an error was not left by it
            seen = each.kind.removesuffix(LEFT), each.place
            if seen not in known or each.place == "statement":
                known.add(seen)
                found.append(Finding(number, statement, each))
        if not all(each.soft for each in differences):
            break
    return found


def first_difference(program: Program, one: Trace, two: Trace) -> Finding | None:
    """Where two traces of one program part."""
    drift = Drift()
    for number, (statement, left, right) in enumerate(zip(program.statements, one, two, strict=True)):
        drift.read(statement)
        differences = compare_statement(left, right, drift)
        if differences:
            return Finding(number, statement, differences[0])
    return None


def worst(found: list[Finding]) -> Finding | None:
    """The finding that decides: the first that is not soft, or else the first."""
    hard = [each for each in found if not each.difference.soft]
    return (hard or found or [None])[0]


def shrink(program: Program, finding: Finding, libraries: tuple[str, str] = ("torch", "rushlight")) -> Program:
    """The program without the statements that the finding does not need."""
    statements = program.statements[: finding.number + 1]
    size = max(len(statements) // 2, 1)
    while True:
        place = 0
        while place < len(statements) - 1:
            shorter = statements[:place] + statements[min(place + size, len(statements) - 1) :]
            if len(shorter) < len(statements) and still(program._replace(statements=shorter), finding, libraries):
                statements = shorter
            else:
                place += size
        if size == 1:
            return program._replace(statements=statements)
        size //= 2


def still(program: Program, finding: Finding, libraries: tuple[str, str]) -> bool:
    """Whether the shorter program ends in a difference of the same kind at the same statement."""
    found = worst([each for each in judge(program, libraries) if each.difference.kind == finding.difference.kind])
    return found is not None and found.statement == finding.statement and found.number == len(program.statements) - 1
