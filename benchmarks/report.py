"""The report of a run: a table on the terminal, raw numbers as JSON, and the page docs/benchmarks.md."""

import json
import os
import platform
from pathlib import Path

from benchmarks import limits, scaling
from benchmarks.libraries import EAGER, LIBRARIES
from benchmarks.measure import Result
from benchmarks.workloads import FAMILIES

HOW = """\
Every library runs the same mathematics on the same data, made by one NumPy generator, in a process and an environment
of its own. Their results are compared first: a number only counts if the work was the same. Then they take turns within
a round, and the best of the rounds counts. Times are microseconds for one step, call or operation; in parentheses the
ratio to torch eager's best (fused or not): smaller is faster. Taking turns does not make up for a busy machine:
lines with a load above the number of cores are no evidence, whichever way they go.

The floor is the same matrix products, bare, at their real shapes, with one pass in place between them, and a copy of as
many bytes as the optimizer must move; a convolution is its product with columns that are there already; for pointwise
chains and reductions it is the copy alone. Reading a result as a
number each step is part of what is measured. torch.compile and JAX compile before the clock starts, except in the
section on cold starts. In the actor-critic update JAX computes the rollout again inside its compiled gradient, as its
users do, and NumPy runs one backward over the kept rows; torch and Rushlight keep the graph of the rollout.
"""

SEVERAL = """\
Made by `python -m benchmarks.distributed --torch .venv-torch/bin/python` and then `python -m benchmarks.scaling
distributed.json`, one thread a process, on two cores; [scaling.md](scaling.md) says how this is measured and what it
means.
"""


def machine():
    """The processor, its cores, the memory and the system, as far as they are told."""
    try:
        names = [
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ]
    except OSError:
        names = []
    processor = names[0] if names else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def save(path, results, about):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"about": about, "results": [result.as_dict() for result in results]}, indent=1) + "\n")


def load(path):
    """Results and what they were measured on."""
    stored = json.loads(path.read_text())
    return [Result(**fields) for fields in stored["results"]], stored["about"]


def number(value):
    """Three digits that count, with separators between thousands."""
    if value is None:
        return ""
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}"


def cell(result, library):
    """A number and its ratio to torch eager's best."""
    value, ratio = result.best(library), result.ratio(library, *EAGER)
    if value is None:
        return "failed" if library in result.failed else ""
    shown = number(value)
    return shown if ratio is None else f"{shown} ({ratio:.2f})"


def print_result(result):
    """A workload on the terminal, a library a line."""
    threads = "" if result.threads == 1 else f", {result.threads} threads"
    print(f"{result.title}{threads} ({result.workload}); load {result.load:.1f}")
    for library, values in result.values.items():
        ratio = result.ratio(library, *EAGER)
        shown = "" if ratio is None else f"{ratio:.3f}"
        spread = f"median {result.spread(library):.2f} of the best"
        print(f"  {LIBRARIES[library].title:<22} {number(min(values)):>12} {result.unit} {shown:>8}   {spread}")
    for library, reason in result.failed.items():
        print(f"  {LIBRARIES[library].title:<22} failed: {reason}")


def print_limits(results):
    """Each limit that was measured; whether all hold."""
    titles = {result.workload: result.title for result in results}
    checked = list(limits.check(results))
    for limit, ratio in checked:
        print(limits.describe(limit, ratio, titles))
    busy = [result.title for result in results if result.load > (os.cpu_count() or 1) + 0.5]
    if busy:
        print(f"No evidence, the machine was busy with other work during: {'; '.join(busy)}")
    return all(limit.verdict(ratio) != "does not hold" for limit, ratio in checked)


def table(results):
    """Markdown: a workload a row, a library a column."""
    columns = [library for library in LIBRARIES if any(library in result.values for result in results)]
    yield "| | " + " | ".join(LIBRARIES[library].title for library in columns) + " |"
    yield "| --- |" + " ---: |" * len(columns)
    for result in results:
        yield f"| {result.title} | " + " | ".join(cell(result, library) for library in columns) + " |"


def limits_table(results):
    titles = {result.workload: result.title for result in results}
    yield "| workload | against | threads | measured | at most | |"
    yield "| --- | --- | ---: | ---: | ---: | --- |"
    for limit, ratio in limits.check(results):
        measured = "" if ratio is None else f"{ratio:.2f}"
        yield (
            f"| {titles[limit.workload]} | {limits.WORDS[limit.base]} | {limit.threads} | {measured} | "
            f"{limit.at_most:.2f} | {limit.verdict(ratio)} |"
        )


def page(results, about, plot_name=None, several=""):
    """The text of docs/benchmarks.md; `several` is what another run has found for several processes."""
    lines = ["# Benchmarks", "", "Made by `make bench`; do not edit.", ""]
    lines += [f"- Machine: {about['machine']}", *(f"- {title}: {text}" for title, text in about["versions"].items())]
    loads = [result.load for result in results]
    lines += [f"- Load average while measuring: {min(loads):.1f} to {max(loads):.1f}, ours included"]
    lines += [*(f"- {line}" for line in about["missing"]), "", HOW]
    if plot_name:
        lines += [f"![ratio to torch eager of each library and workload]({plot_name})", ""]
    for threads in sorted({result.threads for result in results}):
        of_threads = [result for result in results if result.threads == threads]
        lines += [f"## {threads} thread{'s' if threads > 1 else ''}", ""]
        for family, title in FAMILIES.items():
            members = [result for result in of_threads if result.family == family]
            if members:
                unit = "MB" if members[0].unit == "MB" else "microseconds"
                lines += [f"### {title} ({unit})", "", *table(members), ""]
    if any(limits.check(results)):
        lines += ["## What is asked of Rushlight, native on", "", *limits_table(results), ""]
    lines += ["## Several processes", "", SEVERAL, several or f"{scaling.BEGIN}\n{scaling.END}"]
    return "\n".join(lines).rstrip() + "\n"


def describe_versions(descriptions):
    """A line for each library's process: its version, and whether native code runs."""
    lines = {}
    for library, description in descriptions.items():
        text = f"{LIBRARIES[library].module} {description['version']}, Python {description['python']}"
        if "native" in description:
            text += f", native code {'on' if description['native'] else 'off'}"
        lines[LIBRARIES[library].title] = text
    return lines
