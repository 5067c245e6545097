"""The report as a page: findings first, the course of the loss, the parameters, the time; one file, no network."""

from __future__ import annotations

import linecache
import os
import re
import tempfile
from html import escape
from typing import TYPE_CHECKING, Any

from rushlight.doctor import health
from rushlight.doctor.report import plots, words
from rushlight.doctor.report.style import CSS
from rushlight.errors import location

if TYPE_CHECKING:
    from rushlight.doctor.finding import Finding
    from rushlight.doctor.watch import Watch

# lines of source around the one that is blamed
AROUND = 3
# wide tables scroll, by keyboard too
SCROLLED = '<section class="card scroll" tabindex="0" aria-label="{}">'


def write(watch: Watch, path: str) -> None:
    """Write the page, at once or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    descriptor, temporary = tempfile.mkstemp(dir=folder, suffix=".html")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(page(watch))
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def page(watch: Watch) -> str:
    found = health.summary(watch)
    said = filter(None, (words.lacking(watch), words.failures(watch)))
    parts = [
        "<h1>Why does my network not learn?</h1>",
        f"<p>{escape(words.headline(watch))}</p>",
        *[f"<p>{escape(each)}</p>" for each in said],
        *[finding_card(each, number) for number, each in enumerate(watch.findings)],
        "<h2>The loss</h2>",
        f'<section class="card"><p>{escape(words.course_of_loss(found["losses"]))}</p>'
        f"{plots.curve(found['losses'], 'loss')}</section>",
        parameters_table(found["parameters"]),
        times(found),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,"><title>Rushlight\'s doctor</title>'
        f"<style>{CSS}</style></head>\n<body><main>\n" + "\n".join(filter(None, parts)) + "\n</main></body></html>\n"
    )


def finding_card(finding: Finding, number: int) -> str:
    related = "".join(
        f"<li>{escape(label)}: <code>{escape(words.where(place))}</code></li>"
        for label, place in finding.related
        if place is not None and place != finding.place
    )
    way = plots.way(words.named_path(finding)) if finding.path else ""
    parameters = f"<p>Parameters: {escape(', '.join(finding.parameters))}</p>" if finding.parameters else ""
    return (
        f'<details class="finding {finding.severity}"{" open" if number < 3 else ""}>'
        f'<summary><span class="id">{escape(finding.id)}</span> '
        f'<span class="where">{escape(words.where(finding.place))}</span></summary>'
        f"{excerpt(finding)}<p>{with_code(finding.message)}</p>"
        f'<p class="fix">{with_code(finding.fix)}</p>{parameters}{way}{f"<ul>{related}</ul>" if related else ""}'
        f'<p class="quiet">{escape(finding.severity)}, {escape(finding.sure)}, seen {finding.count} '
        f"time{'' if finding.count == 1 else 's'}. If it is meant: "
        f"<code># rushlight: ignore[{escape(finding.id)}]</code></p></details>"
    )


def with_code(text: str) -> str:
    """Text with what stands between backticks set as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def excerpt(finding: Finding) -> str:
    """The source around the line, that one marked and the call in it underlined."""
    place = finding.place
    found = words.source(place)
    if place is None or found is None:
        return ""
    blamed, path = location.line_number(place), place[0].co_filename
    rows = []
    for line in range(max(1, blamed - AROUND), blamed + AROUND + 1):
        text = linecache.getline(path, line).rstrip("\n")
        if line > blamed and not text and not linecache.getline(path, line):
            break
        number = f'<span class="number">{line:4} </span>'
        if line != blamed:
            rows.append(f"{number}{escape(text)}\n")
            continue
        stripped, start, end = found
        indent = " " * (len(text) - len(text.lstrip()))
        marked = f"{escape(stripped[:start])}<u>{escape(stripped[start:end])}</u>{escape(stripped[end:])}"
        rows.append(f'<span class="blamed">{number}{indent}{marked}</span>')
    return f"<pre>{''.join(rows)}</pre>"


def parameters_table(parameters: list[dict[str, Any]]) -> str:
    """Each parameter with its gradient and its updates over the steps."""
    if not parameters:
        return ""
    rows = []
    for each in parameters:
        update = sorted(each["update"])[len(each["update"]) // 2]
        rows.append(
            f"<tr><td><code>{escape(each['name'])}</code></td><td>{escape(str(each['shape']))}</td>"
            f"<td>{plots.spark(each['gradient'], 'norm of the gradient')}</td>"
            f'<td class="figure">{each["gradient"][-1]:.3g}</td>'
            f'<td>{plots.spark(each["update"], "update by weight")}</td><td class="figure">{update:.2g}</td>'
            f"<td>{escape(each['verdict'])}</td></tr>"
        )
    head = "<tr><th>parameter</th><th>shape</th><th>gradient</th><th class='figure'>last</th><th>update / weight</th>"
    head += "<th class='figure'>median</th><th>verdict</th></tr>"
    body = f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody>"
    return f"<h2>The parameters</h2>{SCROLLED.format('parameters')}<table>{body}</table></section>"


def times(found: dict[str, Any]) -> str:
    """Where the time went, by phase and by line, and the memory."""
    spent = "".join(
        f'<tr><td>{escape(name)}</td><td class="figure">{seconds:.3g} s</td></tr>'
        for name, seconds in found["phases"].items()
        if seconds > 0
    )
    lines = "".join(
        f'<tr><td><code>{escape(each["line"])}</code></td><td class="figure">{each["seconds"]:.3g} s</td>'
        f'<td class="figure">{each["calls"]} calls</td></tr>'
        for each in found["lines"]
    )
    memory = f"<p>At most {found['memory'] / 2**20:.0f} MiB of memory.</p>" if found["memory"] else ""
    return f"<h2>The time</h2>{SCROLLED.format('time')}<table>{spent}</table><table>{lines}</table>{memory}</section>"
