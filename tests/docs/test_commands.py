"""Commands that pages name are there: targets of the Makefile, modules, programs and tools of the command line."""

import re
from pathlib import Path

import pytest

from rushlight import cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "notebooks").glob("*.ipynb")),
]
CODE = re.compile(r"```(?:sh)?\n(.*?)```|`([^`\n]+)`", re.DOTALL)
TARGETS = set(
    re.findall(r"^([a-z][a-z-]*(?: [a-z][a-z-]*)*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
)


def commands(path):
    """What stands in code, a line each."""
    for block, inline in CODE.findall(path.read_text(encoding="utf-8")):
        yield from (line.strip() for line in (block or inline).splitlines())


def missing(command):
    """What a command names and the project does not have."""
    found = []
    if match := re.match(r"make ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)(?:$|\s)", command):
        found += [f"make {name}" for name in match[1].split() if name not in TARGETS]
    for name in re.findall(r"python3? -m ((?:benchmarks|conformance|tools|clients)[\w.]*)", command):
        file = ROOT / name.replace(".", "/")
        if not file.with_suffix(".py").exists() and not (file / "__main__.py").exists():
            found.append(name)
    for name in re.findall(r"(?:^|\s)((?:tools|examples|benchmarks)/[\w/]+\.py)", command):
        if not (ROOT / name).exists():
            found.append(name)
    for name in re.findall(r"python -m rushlight ([a-z-]+)(?:\s|$)", command):
        if name not in {*cli.TOOLS, "run"}:
            found.append(f"rushlight {name}")
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_page_tells_to_type_is_there(path):
    assert [each for command in commands(path) for each in missing(command)] == []


def test_what_is_not_there_is_seen():
    assert missing("make nothing test") == ["make nothing"] and not missing("make test")
    assert missing("python -m benchmarks.gone --report docs") == ["benchmarks.gone"]
    assert missing("python tools/gone.py") == ["tools/gone.py"] and not missing("python tools/look.py")
    assert missing("python -m rushlight heal train.py") == ["rushlight heal"]
