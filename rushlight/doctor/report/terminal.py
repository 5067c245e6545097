"""The report for people, in a terminal: each finding with its source line, what happened, and the repair."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TextIO

from rushlight.doctor import health
from rushlight.doctor.report import words

if TYPE_CHECKING:
    from rushlight.doctor.finding import Finding
    from rushlight.doctor.watch import Watch

COLOURS = {"error": "31;1", "warning": "33;1", "info": "36;1", "bold": "1", "dim": "2", "fix": "32"}
# more than these are counted only
SHOWN = 5


class Paint:
    """Colours where a terminal shows them."""

    def __init__(self, file: TextIO):
        self.on = file.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self.width = min(shutil.get_terminal_size().columns, 110)

    def __call__(self, text: str, colour: str) -> str:
        return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if self.on else text


def print_report(watch: Watch, file: TextIO | None = None) -> None:
    """Write what was found, then how the run went."""
    file = sys.stderr if file is None else file
    paint = Paint(file)
    if paint.on and find_spec("rich") is not None:
        from rushlight.doctor.report import rich_terminal

        return rich_terminal.print_report(watch, file, SHOWN)
    print("\n".join(["", *report(watch, paint)]), file=file, flush=True)


def report(watch: Watch, paint: Paint) -> Iterator[str]:
    findings = watch.findings
    yield paint(f"Rushlight's doctor: {words.headline(watch)}", "bold")
    for said in filter(None, (words.lacking(watch), words.failures(watch))):
        yield from wrapped(said, paint.width)
    for number, each in enumerate(findings[:SHOWN], 1):
        yield ""
        yield from one_finding(each, number, paint)
    if len(findings) > SHOWN:
        rest = ", ".join(f"{each.id} ({words.where(each.place)})" for each in findings[SHOWN:])
        yield ""
        yield from wrapped(f"And {len(findings) - SHOWN} more: {rest}.", paint.width)
    yield ""
    yield from verdict(watch, paint)


def one_finding(finding: Finding, number: int, paint: Paint) -> Iterator[str]:
    """The line, what happened on it, and what to write."""
    again = f", seen {finding.count} times" if finding.count > 1 else ""
    yield f"{number}. {paint(finding.id, finding.severity)}  {paint(words.where(finding.place), 'bold')}"
    yield from quoted(finding.place, paint, finding.severity)
    yield from wrapped(finding.message, paint.width, "   ")
    if finding.fix:
        yield from (paint(line, "fix") for line in wrapped(finding.fix, paint.width, "   → "))
    for label, place in finding.related:
        if place is not None and place != finding.place:
            text = words.source(place)
            shown = f": {text[0]}" if text else ""
            yield paint(f"   {label}: {words.where(place)}{shown}", "dim")
    yield paint(f"   {finding.severity}, {finding.sure}{again}; meant so? # rushlight: ignore[{finding.id}]", "dim")


def quoted(place: Any, paint: Paint, colour: str) -> Iterator[str]:
    """The source line with the call underlined."""
    found = words.source(place)
    if found is not None:
        text, start, end = found
        yield f"     {text}"
        yield "     " + " " * start + paint("^" * max(end - start, 1), colour)


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=" " * len(indent), break_on_hyphens=False
    )


def verdict(watch: Watch, paint: Paint) -> Iterator[str]:
    """How the run went, also where nothing is wrong."""
    found = health.summary(watch)
    yield paint("How it went", "bold")
    yield from wrapped(words.course_of_loss(found["losses"]), paint.width, "  ")
    odd = words.parameters_in_words(found["parameters"])
    if found["parameters"]:
        yield from wrapped(
            f"{len(found['parameters'])} parameters were moved: "
            + ("; ".join(odd[:SHOWN]) + "." if odd else "all of them learn."),
            paint.width,
            "  ",
        )
        yield from table(found["parameters"][:10])
    yield from wrapped(words.spent(found), paint.width, "  ")


def table(parameters: list[dict[str, Any]]) -> Iterator[str]:
    """Norm of the gradient at first and last, and the part of itself that a step moves, of each parameter."""
    widest = max(len(each["name"]) for each in parameters)
    yield f"  {'parameter':{widest}}  {'|gradient|, first and last':>26}  {'update / weight':>15}"
    for each in parameters:
        first, last = each["gradient"][0], each["gradient"][-1]
        update = sorted(each["update"])[len(each["update"]) // 2]
        yield f"  {each['name']:{widest}}  {first:>12.3g} {last:>13.3g}  {update:>15.2g}"
