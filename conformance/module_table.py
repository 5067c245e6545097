"""The table of modules: what was compared of each, in Markdown."""

from pathlib import Path
from typing import Any

from conformance.report import Report

# the parts, and how a column is headed
COLUMNS = {
    "printed": "printed tree",
    "weights": "first weights",
    "outputs": "outputs",
    "gradients": "gradients",
    "steps": "10 steps of SGD",
    "errors": "refusals",
}
HEAD = """# Modules, compared with PyTorch 2.13

Written by `make conformance`. Every module is made in both libraries from the same seed and called with the inputs of
torch's `module_db` and some of our own, in float32 and float64, in training and in evaluation. A number counts
comparisons that agree; a dash means there is nothing to compare.

"""


def write_table(path: Path, entries: list[dict[str, Any]], report: Report) -> None:
    answers = {answer["name"]: answer for answer in report.answers}
    lines = ["| module | " + " | ".join(COLUMNS.values()) + " |", "|---|" + "---:|" * len(COLUMNS)]
    for entry in sorted(entries, key=lambda entry: entry["name"]):
        lines.append(f"| {entry['name']} | {row(answers.get(entry['name']))} |")
    path.write_text(HEAD + "\n".join(lines) + "\n")


def row(answer: dict[str, Any] | None) -> str:
    if answer is None:
        return "absent" + " |" * (len(COLUMNS) - 1)
    cells = []
    for part in COLUMNS:
        passed, failed = answer["passed"].get(part, 0), answer["failed"].get(part, 0)
        cells.append(f"{passed} of {passed + failed}" if failed else str(passed or "-"))
    return " | ".join(cells)
