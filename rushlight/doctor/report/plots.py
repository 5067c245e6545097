"""Plots as SVG: a curve with its axes, a small curve for a table, and the way from a loss to a parameter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

# more points than the picture has pixels say nothing
POINTS = 600


def curve(values: Sequence[float], label: str, width: int = 860, height: int = 240) -> str:
    """A curve over its steps; on a logarithmic axis where it spans decades."""
    finite = [each for each in values if math.isfinite(each)]
    if len(finite) < 2:
        return ""
    logarithmic = min(finite) > 0 and max(finite) / min(finite) > 100
    left, right, top, bottom = 64, 12, 14, 30
    box = (left, top, width - left - right, height - top - bottom)
    points = path(values, box, logarithmic)
    low, high = min(finite), max(finite)
    bottom_line = top + box[3]
    scale = " (logarithmic)" if logarithmic else ""
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}: from {finite[0]:.4g} to '
        f'{finite[-1]:.4g}"><line class="axis" x1="{left}" y1="{top}" x2="{left}" y2="{bottom_line}"/>'
        f'<line class="axis" x1="{left}" y1="{bottom_line}" x2="{width - right}" y2="{bottom_line}"/>'
        f'<text x="{left - 6}" y="{top + 10}" text-anchor="end">{high:.3g}</text>'
        f'<text x="{left - 6}" y="{bottom_line}" text-anchor="end">{low:.3g}</text>'
        f'<text x="{left}" y="{height - 8}">1</text>'
        f'<text x="{width - right}" y="{height - 8}" text-anchor="end">backward {len(values)}</text>'
        f'<text x="{left + box[2] / 2:.0f}" y="{height - 8}" text-anchor="middle">{escape(label)}{scale}</text>'
        f'<path class="curve" d="{points}"/></svg>'
    )


def spark(values: Sequence[float], label: str) -> str:
    """A small curve on a logarithmic axis, for the cell of a table."""
    finite = [each for each in values if math.isfinite(each) and each > 0]
    if len(finite) < 2:
        return ""
    drawn = path(finite, (2, 3, 116, 20), logarithmic=True)
    return (
        f'<svg viewBox="0 0 120 26" width="120" height="26" role="img" aria-label="{escape(label)}: from '
        f'{finite[0]:.3g} to {finite[-1]:.3g}"><path class="curve" d="{drawn}"/></svg>'
    )


def path(values: Sequence[float], box: tuple[int, int, int, int], logarithmic: bool) -> str:
    """The curve as an SVG path inside of a box (left, top, width, height); it is broken where there is no number."""
    left, top, width, height = box
    step = max(1, len(values) // POINTS)
    drawn = [math.log(each) if logarithmic and each > 0 else each for each in values[::step]]
    finite = [each for each in drawn if math.isfinite(each)]
    low, span = min(finite), (max(finite) - min(finite)) or 1.0
    parts, pen = [], "M"
    for place, each in enumerate(drawn):
        if not math.isfinite(each):
            pen = "M"
            continue
        x = left + width * place / max(len(drawn) - 1, 1)
        y = top + height * (1 - (each - low) / span)
        parts.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
    return " ".join(parts)


def way(steps: list[tuple[str, str, bool]], width: int = 620) -> str:
    """The way from the loss to a parameter as a column of boxes; where it is cut, the edge is red and broken."""
    rows = []
    height, gap = 30, 22
    for number, (name, where, cut) in enumerate(steps):
        y = 4 + number * (height + gap)
        kind = "cut-box" if cut else "box"
        rows.append(f'<rect class="{kind}" x="4" y="{y}" width="{width - 8}" height="{height}" rx="6"/>')
        rows.append(f'<text class="boxed" x="16" y="{y + 20}">{escape(name)}</text>')
        rows.append(f'<text x="{width - 16}" y="{y + 20}" text-anchor="end">{escape(where)}</text>')
        if number + 1 < len(steps):
            below = y + height
            edge = 'class="cut" stroke-dasharray="3 5"' if cut else 'class="edge"'
            rows.append(f'<line {edge} x1="40" y1="{below}" x2="40" y2="{below + gap}"/>')
            if cut:
                rows.append(f'<text class="cut-word" x="54" y="{below + 16}">gradients stop here</text>')
    total = 8 + len(steps) * (height + gap) - gap
    label = " to ".join([steps[0][0], steps[-1][0]])
    body = "".join(rows)
    return (
        f'<svg viewBox="0 0 {width} {total}" width="{width}" role="img" aria-label="The way from {escape(label)}">'
        f"{body}</svg>"
    )
