"""The changelog: fragments of changelog.d/, and the releases that they were gathered into.

    python tools/changelog.py gather    move the fragments into CHANGELOG.md, under the version of this tree

A version that CHANGELOG.md has already takes in what came since, so that this may be run again before a release. Its
date and the version go into CITATION.cff too.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "changelog.d"
CHANGELOG = ROOT / "CHANGELOG.md"
CITATION = ROOT / "CITATION.cff"
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
FRAGMENT = re.compile(r"(?P<number>\d+)\.(?P<kind>\w+)(?:\.(?P<place>\d+))?\.md")
HEADING = re.compile(r"^## (?P<version>\S+)(?: \((?P<date>[\d-]+)\))?$", re.MULTILINE)


def version() -> str:
    """The version of this tree, out of the one place where it stands."""
    text = (ROOT / "rushlight" / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)[1]


def fragments(folder: Path = FOLDER) -> list[Path]:
    """The fragments, the newest change first."""
    found = [(path, match) for path in folder.iterdir() if (match := FRAGMENT.fullmatch(path.name))]
    order = {path: (-int(match["number"]), int(match["place"] or 0)) for path, match in found}
    return sorted(order, key=order.__getitem__)


def by_kind(paths: list[Path]) -> dict[str, list[str]]:
    """The texts under the headings of their kinds; links as they are from the root of the project."""
    found: dict[str, list[str]] = {}
    for path in paths:
        kind = FRAGMENT.fullmatch(path.name)["kind"]
        if kind not in KINDS:
            raise ValueError(f"{path.name}: the kind is one of {', '.join(KINDS)}")
        text = path.read_text(encoding="utf-8").strip().replace("](../", "](")
        found.setdefault(KINDS[kind], []).append(text.replace("\n", "\n  "))
    return found


def gathered(text: str, entries: dict[str, list[str]], name: str, date: str) -> str:
    """A changelog with these entries under a version, the first of their kind; a version that is new comes first."""
    if not any(found["version"] == name for found in HEADING.finditer(text)):
        first = HEADING.search(text)
        place = first.start() if first else len(text)
        text = f"{text[:place].rstrip()}\n\n## {name} ({date})\n\n{text[place:]}"
    start = next(found.end() for found in HEADING.finditer(text) if found["version"] == name)
    following = HEADING.search(text, start)
    end = following.start() if following else len(text)
    section = text[start:end].strip("\n")
    introduction, *parts = re.split(r"^### ", section, flags=re.MULTILINE)
    known = {part.partition("\n")[0]: part.partition("\n")[2].strip("\n") for part in parts}
    lines = [introduction.strip("\n")] if introduction.strip() else []
    for title in KINDS.values():
        bullets = [*(f"- {entry}" for entry in entries.get(title, ())), *([known[title]] if title in known else [])]
        if bullets:
            lines += [f"### {title}\n\n" + "\n".join(bullets)]
    rest = text[end:]
    return text[:start] + "\n\n" + "\n\n".join(lines) + "\n" + (f"\n{rest}" if rest else "")


def cited(text: str, name: str, date: str) -> str:
    """The citation with a version and its date."""
    text = re.sub(r"^version: .*$", f"version: {name}", text, flags=re.MULTILINE)
    return re.sub(r"^date-released: .*$", f"date-released: {date}", text, flags=re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["gather"])
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="of the release; today")
    arguments = parser.parse_args()
    paths = fragments()
    before = CHANGELOG.read_text(encoding="utf-8") if CHANGELOG.exists() else "# Changelog\n"
    CHANGELOG.write_text(gathered(before, by_kind(paths), version(), arguments.date), encoding="utf-8")
    date = next(found["date"] for found in HEADING.finditer(CHANGELOG.read_text(encoding="utf-8")))
    CITATION.write_text(cited(CITATION.read_text(encoding="utf-8"), version(), date), encoding="utf-8")
    for path in paths:
        path.unlink()
    print(f"{len(paths)} fragments went into {CHANGELOG.name} under {version()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
