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
    ours: str = ""
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
            and re.search(self.ours, difference.ours)
            and re.search(self.error, difference.error)
            and re.search(self.place, difference.place)
            and (not self.origin or re.search(self.origin, origin_of(program, finding.number)))
            and (not self.program or re.search(self.program, "\n".join(program.statements[: finding.number])))
        )


def origin_of(program: Program, number: int) -> str:
    """A statement and those that gave the names in it their values or wrote to them, back to the first."""
    found, wanted, known = {number}, set(NAME.findall(program.statements[number])), -1
    views = {new: base for each in program.statements[:number] for new, base in VIEW.findall(each) if new != base}
    # again until nothing is new: what was written to may be wanted by a statement before the write
    while known != len(found):
        known = len(found)
        for place, statement in enumerate(program.statements[:number]):
            targets = [*re.findall(r"^ *(\w[\w, *]*) =", statement, re.MULTILINE), *WRITTEN.findall(statement)]
            names = {name for each in targets for name in NAME.findall(each)}
            # a write to a view is one to its base
            if wanted & names or wanted & {base_of(name, views) for name in WRITTEN.findall(statement)}:
                found.add(place)
                wanted |= set(NAME.findall(statement))
    return "\n".join(program.statements[place] for place in sorted(found, reverse=True))


def base_of(name: str, views: dict[str, str]) -> str:
    # not `while`: a program may give a name to another value
    for _ in views:
        name = views.get(name, name)
    return name


NAME = re.compile(r"\b[a-z]\d+\b")
# x1.add_(...), x1.data = ..., x1[...] = ..., x1 += ..., out=x1
WRITTEN = re.compile(r"^ *[a-z]\d+(?=\.\w+_\(|\.data =|\[.*\] [-+*/]*=| \S+= )|(?<=out=)[a-z]\d+", re.MULTILINE)
# x2 = x1.view(...), x2 = x1[...]
VIEW = re.compile(
    r"^ *([a-z]\d+)(?:, \*[a-z]\d+)? = ([a-z]\d+)(?:\[|\.(?:T|mT|H|mH|real|imag|data)$|"
    r"\.(?:view|view_as|reshape|expand|expand_as|permute|transpose|swapaxes|movedim|t|narrow|select|unfold|diagonal|squeeze|unsqueeze|flatten|ravel|unflatten|"
    r"contiguous|conj|detach|as_strided|split|chunk|unbind|tensor_split)\()",
    re.MULTILINE,
)


def read_listed() -> list[Known]:
    return [Known(**each) for each in read_known("programs")]


def survey(family: str, first: int, count: int, examples: bool = True) -> list[dict[str, Any]]:
    """One record for each program: its number, the kind of its worst difference, and a shrunk example of it."""
    listed = read_listed()
    return [record(generate(family, seed, "torch"), listed, examples) for seed in range(first, first + count)]


def record(program: Program, listed: list[Known], examples: bool) -> dict[str, Any]:
    findings = judge(program)
    reasons = {place: reason_for(each, program, listed) for place, each in enumerate(findings)}
    explained = [each for place, each in enumerate(findings) if reasons[place]]
    # what a listed error, another one or none leaves behind is listed with it
    ends = {each.number for each in explained if each.difference.place == "statement"}
    unlisted = [each for each in findings if each not in explained and each.number not in ends]
    found = worst(unlisted)
    while found is not None and is_rounding(program, found):
        unlisted.remove(found)
        found = worst(unlisted)
    answer: dict[str, Any] = {"seed": program.seed, "listed": len(findings) - len(unlisted)}
    answer["reasons"] = sorted(set(filter(None, reasons.values())))
    if found is None:
        return {**answer, "kind": LISTED if findings else AGREES}
    answer |= {"kind": found.difference.kind, "soft": found.difference.soft, "group": group_of(found)}
    if examples:
        answer |= {"difference": str(found.difference), "program": str(shrink(program, found))}
    return answer


def reason_for(finding: Finding, program: Program, listed: list[Known]) -> str | None:
    """Why a difference is allowed; None if it is not."""
    return next((known.reason for known in listed if known.explains(finding, program)), None)


def group_of(finding: Finding) -> str:
    """What findings of one cause have in common: the kind, and the call or the operator of the statement."""
    line = finding.statement.splitlines()[-1].strip()
    words = re.findall(r"\.([a-z_0-9]+)\(", re.sub(r"torch\.tensor\(.*?\)|\.reshape\(.*?\)", "", line))
    sign = re.search(r"(?:^| )([-+*/%<>=&|^]*=|[-+*/%<>&|^@]+) ", line)
    call = words[0] if words else sign[1] if sign else "?"
    return f"{finding.difference.kind}: {call}"
