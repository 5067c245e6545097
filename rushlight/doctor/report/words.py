"""What a report says of a watch: its headline, the source line of a finding, a verdict on health."""

from __future__ import annotations

import linecache
import math
import os
from typing import TYPE_CHECKING, Any

from rushlight.core.settings import device
from rushlight.core.surface import refusals
from rushlight.core.surface.lazy import MissingName
from rushlight.errors import location
from rushlight.errors.location import Location

if TYPE_CHECKING:
    from rushlight.doctor.finding import Finding
    from rushlight.doctor.watch import Watch


def shown_path(path: str) -> str:
    """A path as the user would write it: relative if that is shorter."""
    try:
        return min(path, os.path.relpath(path), key=len)
    except ValueError:  # another drive on Windows
        return path


def where(place: Location | None) -> str:
    return "" if place is None else f"{shown_path(place[0].co_filename)}:{location.line_number(place)}"


def source(place: Location | None) -> tuple[str, int, int] | None:
    """The text of a line without its indent, and from where to where the call in it reaches."""
    if place is None:
        return None
    line = location.line_number(place)
    text = linecache.getline(place[0].co_filename, line).rstrip()
    stripped = text.lstrip()
    if not stripped:
        return None
    indent = len(text) - len(stripped)
    start, end = columns(place, line)
    if start is None or end is None or end <= start:
        return stripped, 0, len(stripped.split("  #")[0].rstrip())
    # columns count bytes
    in_characters = [len(text.encode()[:each].decode(errors="ignore")) - indent for each in (start, end)]
    return stripped, max(in_characters[0], 0), min(in_characters[1], len(stripped))


def columns(place: Location, line: int) -> tuple[int | None, int | None]:
    """The columns of the instruction, where Python knows them and it stands on one line."""
    code, instruction = place
    if instruction < 0:
        return None, None
    for number, (first, last, start, end) in enumerate(code.co_positions()):
        if number * 2 == instruction:
            return (start, end) if first == last == line else (None, None)
    return None, None


def named_path(finding: Finding) -> list[tuple[str, str, bool]]:
    """The way from the loss, with the parameter at its end by name."""
    steps = [(name, where(place), cut) for name, place, cut in finding.path]
    if steps and steps[-1][0] == "leaf" and finding.parameters:
        steps[-1] = (finding.parameters[0], *steps[-1][1:])
    return steps


def headline(watch: Watch) -> str:
    """How many of what was found, or that nothing was."""
    findings = watch.findings
    after = f"{watch.steps} optimizer step{'' if watch.steps == 1 else 's'}"
    if not findings:
        return f"Nothing found in {after}."
    counts = {name: sum(each.severity == name for each in findings) for name in ("error", "warning", "info")}
    words = [f"{count} {name}{'s' if count > 1 and name != 'info' else ''}" for name, count in counts.items() if count]
    return f"{', '.join(words)} found in {after}."


def course_of_loss(losses: list[float]) -> str:
    """The loss from beginning to end, in words."""
    if not losses:
        return "No backward() was seen."
    finite = [each for each in losses if math.isfinite(each)]
    if len(finite) < len(losses):
        at = next(number for number, each in enumerate(losses) if not math.isfinite(each))
        return f"The loss was {shown(losses[0])} at first and is no number since backward {at + 1}."
    few = max(1, len(losses) // 10)
    first, last = sum(losses[:few]) / few, sum(losses[-few:]) / few
    if len(losses) < 3:
        return f"The loss was {shown(losses[-1])}."
    return f"The loss went from {shown(first)} to {shown(last)} over {len(losses)} backward passes."


def spent(found: dict[str, Any]) -> str:
    """Time by phase, the slowest line, and memory."""
    phases = {name: seconds for name, seconds in found["phases"].items() if seconds > 0}
    said = [f"Time: {', '.join(f'{name} {seconds:.3g} s' for name, seconds in phases.items())}."] if phases else []
    if found["lines"]:
        slowest = found["lines"][0]
        said.append(f"Slowest line: {slowest['line']}, {slowest['seconds']:.3g} s in {slowest['calls']} calls.")
    if found["memory"]:
        said.append(f"Memory: at most {found['memory'] / 2**20:.0f} MiB.")
    return " ".join(said)


def shown(number: float) -> str:
    return f"{number:.4g}"


def lacking(watch: Watch) -> str | None:
    """What the program needs and Rushlight lacks, where that ended it."""
    error = watch.error
    if error is None or not is_lacking(error):
        return None
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"The program needs what Rushlight lacks: {text} What is said here covers the {watch.steps} steps before."


def failures(watch: Watch) -> str | None:
    """Checks that have failed themselves: a fault of the doctor's, which is not kept quiet."""
    kinds = {id: f"{id} ({type(error).__name__}: {error})" for id, error in watch.broken}
    return f"These checks of the doctor failed and say nothing: {', '.join(kinds.values())}." if kinds else None


def is_lacking(error: BaseException) -> bool:
    """Whether an error says that a name or a device is not in Rushlight."""
    if isinstance(error, ImportError):
        return (error.name or "").partition(".")[0] in ("torch", "rushlight")
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    raised_in = None if traceback is None else traceback.tb_frame.f_code.co_filename
    return isinstance(error, MissingName) or raised_in in (refusals.__file__, device.__file__)


def parameters_in_words(parameters: list[dict[str, Any]]) -> list[str]:
    """One line for each parameter that does not simply learn."""
    return [f"{each['name']} {each['verdict']}" for each in parameters if each["verdict"] != "learns"]
