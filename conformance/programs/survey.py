"""Surveys: many programs of a family judged, their differences grouped, the listed ones set apart."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from conformance.known import read_known
from conformance.programs.program import Program, generate
from conformance.programs.rounding import is_rounding
from conformance.programs.verdict import Finding, judge, shrink, worst

AGREES, LISTED = "agrees", "listed"


class Known(NamedTuple):
    """A difference that is allowed: regular expressions for what is seen, and the reason."""

    kind: str
    statement: str
    reason: str
    torch: str = ""
    place: str = ""  # in the name that differs: `^seen`, `grad$`
    origin: str = ""  # in the statements that made what the statement uses: `D.Weibull`, where it says `d3.mode`
    error: str = ""  # in torch's error, where it left the difference
    program: str = ""  # in all statements before, where what matters has no name in common with the statement

    def explains(self, finding: Finding, program: Program) -> bool:
        difference = finding.difference
        return bool(
            re.fullmatch(self.kind, difference.kind)
            and re.search(self.statement, finding.statement)
            and re.search(self.torch, difference.torch)
            and re.search(self.error, difference.error)
            and re.search(self.place, difference.place)
            and (not self.origin or re.search(self.origin, origin_of(program, finding.number)))
            and (not self.program or re.search(self.program, "\n".join(program.statements[: finding.number])))
        )


def origin_of(program: Program, number: int) -> str:
    """A statement and those that gave the names in it their values or wrote to them, back to the first."""
    found, wanted, known = {number}, set(NAME.findall(program.statements[number])), -1
    # again until nothing is new: what was written to may be wanted by a statement before the write
    while known != len(found):
        known = len(found)
        for place, statement in enumerate(program.statements[:number]):
            targets = [*re.findall(r"^ *(\w[\w, *]*) =", statement, re.MULTILINE), *WRITTEN.findall(statement)]
            if wanted & {name for each in targets for name in NAME.findall(each)}:
                found.add(place)
                wanted |= set(NAME.findall(statement))
    return "\n".join(program.statements[place] for place in sorted(found, reverse=True))


NAME = re.compile(r"\b[a-z]\d+\b")
# x1.add_(...), x1.data = ..., x1[...] = ..., x1 += ..., out=x1
WRITTEN = re.compile(r"^ *[a-z]\d+(?=\.\w+_\(|\.data =|\[.*\] [-+*/]*=| \S+= )|(?<=out=)[a-z]\d+", re.MULTILINE)


def read_listed() -> list[Known]:
    return [Known(**each) for each in read_known("programs")]


def survey(family: str, first: int, count: int, examples: bool = True) -> list[dict[str, Any]]:
    """One record for each program: its number, the kind of its worst difference, and a shrunk example of it."""
    listed = read_listed()
    return [record(generate(family, seed, "torch"), listed, examples) for seed in range(first, first + count)]


def record(program: Program, listed: list[Known], examples: bool) -> dict[str, Any]:
    findings = judge(program)
    explained = [each for each in findings if any(known.explains(each, program) for known in listed)]
    # what a listed error or its absence leaves behind is listed with it
    ends = {each.number for each in explained if "error" in each.difference.kind}
    unlisted = [each for each in findings if each not in explained and each.number not in ends]
    found = worst(unlisted)
    while found is not None and is_rounding(program, found):
        unlisted.remove(found)
        found = worst(unlisted)
    answer: dict[str, Any] = {"seed": program.seed, "listed": len(findings) - len(unlisted)}
    if found is None:
        return {**answer, "kind": LISTED if findings else AGREES}
    answer |= {"kind": found.difference.kind, "soft": found.difference.soft, "group": group_of(found)}
    if examples:
        answer |= {"difference": str(found.difference), "program": str(shrink(program, found))}
    return answer


def group_of(finding: Finding) -> str:
    """What findings of one cause have in common: the kind, and the call or the operator of the statement."""
    line = finding.statement.splitlines()[-1].strip()
    words = re.findall(r"\.([a-z_0-9]+)\(", re.sub(r"torch\.tensor\(.*?\)|\.reshape\(.*?\)", "", line))
    sign = re.search(r"(?:^| )([-+*/%<>=&|^]*=|[-+*/%<>&|^@]+) ", line)
    call = words[0] if words else sign[1] if sign else "?"
    return f"{finding.difference.kind}: {call}"
