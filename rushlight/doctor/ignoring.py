"""Ignoring: `# rushlight: ignore[id]` at the end of a line keeps a finding on that line quiet."""

from __future__ import annotations

import linecache
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rushlight.doctor.finding import Finding

COMMENT = re.compile(r"#\s*rushlight:\s*ignore(?:\[([^\]]*)\])?")


def is_ignored(finding: Finding) -> bool:
    """Whether its line, or a related one, says that it is meant."""
    places = [finding.place, *[place for _, place in finding.related]]
    return any(says_so(finding.id, place) for place in places if place is not None)


def says_so(id: str, place: tuple) -> bool:
    from rushlight.errors.location import line_number

    found = COMMENT.search(linecache.getline(place[0].co_filename, line_number(place)))
    if found is None:
        return False
    return found[1] is None or id in [each.strip() for each in found[1].split(",")]
