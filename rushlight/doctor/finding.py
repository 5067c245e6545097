"""Findings: what is wrong, on which line, which parameters suffer from it, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rushlight.errors import location
from rushlight.errors.location import Location

ERROR, WARNING, INFO = "error", "warning", "info"
# how findings are sorted: what certainly is a mistake comes first
RANK = {ERROR: 0, WARNING: 1, INFO: 2}


@dataclass(slots=True)
class Finding:
    """One mistake. A check makes it; the watch adds the id and severity of the check's declaration.

    `message` says what happened, `fix` what to write instead, `place` is the line that caused it and `related` are
    other lines with a word on each. `key` tells findings of one id apart, by default their line.
    """

    message: str
    fix: str
    place: Location | None
    parameters: list[str] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)
    related: list[tuple[str, Location | None]] = field(default_factory=list)
    # the way from the loss to a parameter: what was computed, on which line, and whether gradients stop there
    path: list[tuple[str, Location | None, bool]] = field(default_factory=list)
    sure: str = "certain"
    severity: str = ""
    id: str = ""
    key: Any = None
    # asked when findings are shown: whether it still holds, as a gradient may come later
    still: Callable[[], bool] | None = None
    count: int = 1

    @property
    def file(self) -> str | None:
        return None if self.place is None else self.place[0].co_filename

    @property
    def line(self) -> int | None:
        return None if self.place is None else location.line_number(self.place)

    def identity(self) -> tuple:
        """What makes two reports one finding."""
        return self.id, self.key if self.key is not None else (self.file, self.line)

    def as_dict(self) -> dict[str, Any]:
        """The form of `--json`."""
        return {
            "id": self.id,
            "message": f"{self.message} {self.fix}".strip(),
            "file": self.file,
            "line": self.line,
            "severity": self.severity,
            "parameters": self.parameters,
            "evidence": self.evidence,
            "fix": self.fix,
            "sure": self.sure,
            "count": self.count,
            "path": [
                {"op": name, "line": None if place is None else location.file_and_line(place), "cut": cut}
                for name, place, cut in self.path
            ],
            "related": [
                {"label": label, "file": place[0].co_filename, "line": location.line_number(place)}
                for label, place in self.related
                if place is not None
            ],
        }
