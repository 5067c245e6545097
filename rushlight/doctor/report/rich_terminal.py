"""The report in a terminal by way of rich: source with colours, a frame around each finding, tables."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from rushlight.doctor import health
from rushlight.doctor.report import words
from rushlight.errors import location

if TYPE_CHECKING:
    from rushlight.doctor.finding import Finding
    from rushlight.doctor.watch import Watch

COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}
# lines of source before and after the one that is blamed
AROUND = 2


def print_report(watch: Watch, file: TextIO, shown: int) -> None:
    """Write what was found, then how the run went."""
    console = Console(file=file, highlight=False)
    findings = watch.findings
    console.print()
    console.print(Text(f"Rushlight's doctor: {words.headline(watch)}", style="bold"))
    for said in filter(None, (words.lacking(watch), words.failures(watch))):
        console.print(Text(said))
    for each in findings[:shown]:
        console.print(panel(each))
    for each in findings[shown:]:
        console.print(Text(f"and {each.id} ({words.where(each.place)})"))
    found = health.summary(watch)
    console.print(Text(f"How it went: {words.course_of_loss(found['losses'])}"))
    if found["parameters"]:
        console.print(table(found["parameters"]))
    console.print(Text(words.spent(found), style="dim"))


def panel(finding: Finding) -> Panel:
    """One finding: its source, what happened, the repair, other lines."""
    parts: list[RenderableType] = []
    place = finding.place
    if place is not None and linecache.getline(place[0].co_filename, location.line_number(place)):
        line = location.line_number(place)
        text = "".join(linecache.getlines(place[0].co_filename))
        around = (max(1, line - AROUND), line + AROUND)
        parts.append(Syntax(text, "python", line_numbers=True, line_range=around, highlight_lines={line}))
    parts += [Text(finding.message), Text(f"→ {finding.fix}", style="green")]
    for label, other in finding.related:
        if other is not None and other != place:
            parts.append(Text(f"{label}: {words.where(other)}", style="dim"))
    again = f", seen {finding.count} times" if finding.count > 1 else ""
    hint = f"{finding.severity}, {finding.sure}{again}; meant so? # rushlight: ignore[{finding.id}]"
    parts.append(Text(hint, style="dim"))
    colour = COLOURS[finding.severity]
    title = Text(f"{finding.id}  {words.where(place)}", style=f"bold {colour}")
    return Panel(Group(*parts), title=title, title_align="left", border_style=colour)


def table(parameters: list[dict[str, Any]]) -> Table:
    drawn = Table("parameter", "|gradient|, first", "last", "update / weight", "verdict", box=None)
    for each in parameters[:10]:
        update = sorted(each["update"])[len(each["update"]) // 2]
        numbers = [f"{number:.3g}" for number in (each["gradient"][0], each["gradient"][-1], update)]
        drawn.add_row(each["name"], *numbers, each["verdict"])
    return drawn
