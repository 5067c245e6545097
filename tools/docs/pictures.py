"""The bars of the first page: a few rows of docs/benchmarks.md, so that no number stands in two places."""

from __future__ import annotations

import re
from pathlib import Path

# rows of the page, and what they are called beside a bar
ROWS = {
    "MLP step, batch 1, width 64": "training step, batch 1, width 64",
    "MLP step, batch 64, width 256": "training step, batch 64, width 256",
    "policy forward, sample, log_prob": "policy: forward, sample, log_prob",
    "actor-critic update, 200 steps": "actor-critic update, 200 steps",
    "SAC update, batch 256, 256 x 256": "SAC update, batch 256, 256 wide",
    "LeNet step, batch 64": "LeNet step, batch 64",
    "char-GPT step, 4 layers, 128 wide, batch 16": "small GPT step, batch 16",
    "import": "import",
}
COLUMNS = {"torch": "#8c8c8c", "JAX jit": "#3f78b5", "Rushlight": "#a3262a"}
LABEL, WIDTH, HIGH, GAP = 250, 420, 11, 12
LONGEST = 2.0
RATIO = re.compile(r"\(([\d.]+)\)")


def ratios(page: str, rows: dict[str, str] = ROWS) -> dict[str, dict[str, float]]:
    """The first row of each name, as the page has them, with one thread: each library's time, as a ratio to torch's."""
    heads: list[str] = []
    found: dict[str, dict[str, float]] = {}
    for line in page.splitlines():
        cells = [each.strip() for each in line.strip("|").split("|")]
        if line.startswith("| |"):
            heads = cells
        elif cells[0] in rows and cells[0] not in found and len(cells) == len(heads):
            shown = zip(heads, cells, strict=True)
            found[cells[0]] = {head: float(match[1]) for head, cell in shown if (match := RATIO.search(cell))}
    # faster with a fused optimizer or without: the ratio is to the better one
    return {name: {**row, "torch": 1.0} for name, row in found.items()}


def bars(page: str) -> str:
    """A picture of them."""
    rows = ratios(page)
    missing = set(ROWS) - set(rows)
    if missing:
        raise ValueError(f"docs/benchmarks.md has no row {sorted(missing)}")
    step = len(COLUMNS) * HIGH + GAP
    height = 34 + step * len(ROWS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LABEL + WIDTH + 60} {height}" font-family="sans-serif" '
        'font-size="12"><rect width="100%" height="100%" fill="#fffdf8"/>'
    ]
    for place, (name, colour) in enumerate(COLUMNS.items()):
        x = LABEL + 130 * place
        parts.append(
            f'<rect x="{x}" y="8" width="12" height="12" fill="{colour}"/><text x="{x + 18}" y="18">{name}</text>'
        )
    for place, (name, words) in enumerate(ROWS.items()):
        y = 34 + place * step
        parts.append(f'<text x="{LABEL - 8}" y="{y + step / 2}" text-anchor="end">{words}</text>')
        for row, (column, colour) in enumerate(COLUMNS.items()):
            if column in rows[name]:
                parts.append(bar(rows[name][column], y + row * HIGH, colour))
    return "\n".join([*parts, "</svg>", ""])


def bar(ratio: float, y: float, colour: str) -> str:
    long = max(1.5, min(ratio, LONGEST) / LONGEST * WIDTH)
    return (
        f'<rect x="{LABEL}" y="{y}" width="{long:.1f}" height="{HIGH - 1}" fill="{colour}"/>'
        f'<text x="{LABEL + long + 4:.1f}" y="{y + HIGH - 2}" font-size="10">{ratio:.2f}</text>'
    )


def write(target: Path) -> None:
    text = bars((target / "benchmarks.md").read_text(encoding="utf-8"))
    (target / "assets" / "bars.svg").write_text(text, encoding="utf-8")
