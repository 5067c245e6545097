"""Links between pages: where each leads, and which lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# [words](target) and ![words](target); what is code is no link
LINK = re.compile(r"(?P<head>!?\[[^\]]*\]\()(?P<target>[^)\s]+)(?P<tail>\))")
CODE = re.compile(r"```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
ELSEWHERE = ("http://", "https://", "mailto:", "#")


def links_of(text: str) -> Iterator[str]:
    """The targets that a page names and that are part of the project."""
    for found in LINK.finditer(CODE.sub("", text)):
        if not found["target"].startswith(ELSEWHERE):
            yield found["target"]


def broken(path: Path, generated: frozenset[str] = frozenset()) -> list[str]:
    """Links of a page that lead to no file, and to none of those that are made when the site is built."""
    found = []
    for target in links_of(path.read_text(encoding="utf-8")):
        file = (path.parent / target.partition("#")[0]).resolve()
        inside = file.is_relative_to(ROOT / "docs") and file.relative_to(ROOT / "docs").as_posix() in generated
        if not file.exists() and not inside:
            found.append(target)
    return found
