"""A page for each finding of the doctor: a broken program, what the doctor prints, and the program repaired."""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import re
import sys
import tomllib
import warnings
from pathlib import Path
from types import ModuleType

from rushlight import compat, doctor
from rushlight.core.settings.state import state
from rushlight.doctor.catalogue import Check, all_checks
from rushlight.doctor.report.terminal import print_report

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "doctor" / "corpus"
REPAIRS = tomllib.loads((Path(__file__).parent / "repairs.toml").read_text(encoding="utf-8"))
MARK = re.compile(r"  # finding: [a-z0-9-]+$", re.MULTILINE)
SHOWN = "train.py"
# told of checks that guess
TIERS = {
    1: "It is told whenever it is seen.",
    2: "It is told where no sign of intent is seen.",
    3: "It is told with `--all`.",
}


def faulty(id: str) -> Path:
    """The script that a finding's page shows."""
    (folder,) = CORPUS.glob(f"*/{id}")
    return folder / REPAIRS[id]["script"]


def broken(id: str) -> str:
    """The broken program, without the mark that the tests look for."""
    return MARK.sub("", faulty(id).read_text(encoding="utf-8"))


def repaired(id: str) -> str:
    """The same program, repaired."""
    text = broken(id)
    for old, new in REPAIRS[id]["change"]:
        if text.count(old) != 1:
            raise ValueError(f"repairs.toml: {id} has {old!r} {text.count(old)} times, not once")
        text = text.replace(old, new)
    # what the first line says of the fault is no longer so
    return text.replace(ast.get_docstring(ast.parse(text), clean=False) or "", "The same program, repaired.", 1)


def watched(source: str, folder: Path, everything: bool) -> doctor.Watch:
    """The watch of a program after it has run, as the command `doctor` has it."""
    folder.mkdir(exist_ok=True)
    path = folder / SHOWN
    path.write_text(source, encoding="utf-8")
    module, before = ModuleType("__main__"), sys.modules["__main__"]
    module.__file__ = str(path)
    watch = doctor.Watch(all=everything)
    compat.install()
    sys.modules["__main__"] = module
    try:
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(io.StringIO()),
            warnings.catch_warnings(action="ignore"),
            contextlib.suppress(Exception),
            watch,
        ):
            exec(compile(source, str(path), "exec"), vars(module))
    finally:
        sys.modules["__main__"] = before
        compat.uninstall()
        state.grad = True
    return watch


def report(watch: doctor.Watch, folder: Path) -> str:
    """The doctor's words about what is wrong; how the run went, with its times, is another each time."""
    written = io.StringIO()
    with contextlib.chdir(folder):
        print_report(watch, written)
    return written.getvalue().partition("How it went")[0].strip()


def page(check: Check, folder: Path) -> str:
    """The page of a finding."""
    id = check.id
    # a folder of its own: lines are looked up by path
    told = report(watched(broken(id), folder / id, check.tier == 3), folder / id)
    before, after = broken(id), repaired(id)
    lines = [f"# {id}", "", check.explanation, "", f"*{check.severity}.* {TIERS[check.tier]}", ""]
    lines += [
        "## Broken",
        "",
        *fenced(before, changed(after, before)),
        "",
        f"`python -m rushlight doctor {SHOWN}` prints, and then how the run went:",
        "",
    ]
    lines += ["```text", told, "```", "", "## Repaired", "", *fenced(after, changed(before, after)), ""]
    lines += ["## What looks like it and is right", "", "The doctor leaves these alone:", ""]
    innocent = sorted(faulty(id).parent.glob("innocent*.py"))
    lines += [f"- {' '.join((ast.get_docstring(ast.parse(each.read_text())) or '').split())}" for each in innocent]
    return "\n".join([*lines, ""])


def fenced(source: str, lines: list[int]) -> list[str]:
    """A program with the lines that matter set off."""
    marks = f' hl_lines="{" ".join(map(str, lines))}"' if lines else ""
    return [f"```{{ .py{marks} }}", source.rstrip(), "```"]


def changed(before: str, after: str) -> list[int]:
    """The lines of `after` that `before` has not, without the first sentence."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    rows = [row for kind, _, _, low, high in matcher.get_opcodes() if kind != "equal" for row in range(low, high)]
    return [row + 1 for row in rows if row > 0]


def write(target: Path, folder: Path) -> list[tuple[str, str]]:
    """Write all pages and their list; what the navigation shows."""
    (target / "findings").mkdir(parents=True, exist_ok=True)
    shown = []
    lines = [
        "# All findings",
        "",
        "Each with a broken and a repaired program.",
        "",
        "| finding | what it means |",
        "| --- | --- |",
    ]
    for id, check in all_checks().items():
        (target / "findings" / f"{id}.md").write_text(page(check, folder), encoding="utf-8")
        lines.append(f"| [{id}]({id}.md) | {' '.join(check.explanation.split())} |")
        shown.append((id, f"findings/{id}.md"))
    (target / "findings" / "index.md").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return [("All findings", "findings/index.md"), *shown]
