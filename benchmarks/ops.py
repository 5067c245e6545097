"""Every op's time against torch's at 4, 10^3 and 10^6 elements, forward and with its backward, on one thread.

    python -m benchmarks.ops [op ...] [--sizes 4 1000] [--rounds 15] [--limits] [--report docs]

The ops are the 150 that are used most, each by one typical call (`benchmarks/calls.py`). As in `benchmarks.compare`
the libraries run in processes of their own, take turns, must agree, and the best round counts. Ends with 1 if results
differ, or with --limits if what is asked does not hold.
"""

import argparse
import sys
from pathlib import Path

from benchmarks import report
from benchmarks.calls import CALLS, SIZES
from benchmarks.compare import describe
from benchmarks.libraries import ROOT, find_libraries
from benchmarks.measure import Plan, measure
from benchmarks.scanning.summary import kept_section
from benchmarks.workloads import OPS

PAIR = ("torch", "rushlight")
# Small sizes have to be faster for all ops but some; at the largest some may be slower than this.
SMALL, LARGE = SIZES[:-1], SIZES[-1]
SLOW = 1.3
MAY_MISS = {"small": 10, "large": 5}

HOW = """\
One thread. For each op a typical call; microseconds in Rushlight, in parentheses the ratio to torch: smaller is faster.
"Backward" is the call with its graph recorded, the sum of its result, and the gradients of all its inputs. The
libraries run in processes of their own on the same data, their results are compared first, they take turns, and the
best round counts.
"""


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ops", nargs="*", metavar="op", help="names in benchmarks/calls.py; none: all")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), choices=SIZES)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--turn", type=float, default=0.002, help="seconds of one library's turn within a round")
    parser.add_argument("--limits", action="store_true", help="check what is asked of the 150 ops")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "ops.json", help="where raw numbers go")
    parser.add_argument("--report", type=Path, metavar="FOLDER", help="write ops_benchmarks.md there")
    parser.add_argument("--load", action="store_true", help="measure nothing, take the numbers of --json")
    arguments = parser.parse_args(words)
    for name in arguments.ops:
        if name not in CALLS:
            parser.error(f"no op {name} in benchmarks/calls.py")
    return arguments


def key_of(result):
    """Name, size and direction."""
    name, size, direction = result.workload.split("/")
    return name, int(size), direction


def run(arguments):
    """Measure, print and save; the results and what they were measured on."""
    pythons, missing = find_libraries(PAIR)
    if missing:
        sys.exit("\n".join(missing))
    about = {"machine": report.machine(), "versions": report.describe_versions(describe(pythons))}
    print("\n".join([about["machine"], *(f"{title}: {text}" for title, text in about["versions"].items())]))
    chosen = arguments.ops or CALLS
    names = [name for name in OPS if name.split("/")[0] in chosen and int(name.split("/")[1]) in arguments.sizes]
    results = []
    for result in measure(names, pythons, 1, Plan(arguments.rounds, arguments.turn, longest=3.0)):
        print_result(result)
        results.append(result)
    report.save(arguments.json, results, about)
    return results, about


def print_result(result):
    name, size, direction = key_of(result)
    failures = "; ".join(f"{library} failed: {reason}" for library, reason in result.failed.items())
    ours, theirs, ratio = result.best("rushlight"), result.best("torch"), ratio_of(result)
    shown = "" if ratio is None else f"{ratio:6.2f}"
    line = f"{name:<34} {size:>8} {direction:<9} {report.number(ours):>11} {report.number(theirs):>11} {shown:>6}"
    print(f"{line} {failures}".rstrip(), flush=True)


def ratio_of(result):
    return result.ratio("rushlight", "torch")


def misses(results):
    """The ops that are not faster than torch at a small size, and those that are much slower at the largest."""
    found = {"small": {}, "large": {}}
    for result in results:
        name, size, _ = key_of(result)
        ratio = ratio_of(result)
        where, allowed = ("large", SLOW) if size == LARGE else ("small", 1.0)
        if ratio is None or result.failed or ratio > allowed:
            found[where][name] = max(found[where].get(name, 0.0), ratio or float("inf"))
    return {where: sorted(names.items(), key=lambda pair: -pair[1]) for where, names in found.items()}


def summary(results):
    """Lines: how many ops are as fast as is asked, which are not, and the ten worst ratios at each size."""
    ops = {key_of(result)[0] for result in results}
    sizes = {key_of(result)[1] for result in results}
    found = misses(results)
    lines = []
    for where, words in (
        ("small", "are faster than torch at 4 and 10^3 elements, forward and backward"),
        ("large", f"are at most {SLOW} times as slow as torch at 10^6"),
    ):
        if not sizes.intersection(SMALL if where == "small" else (LARGE,)):
            continue
        names = ", ".join(f"{name} ({ratio:.2f})" for name, ratio in found[where])
        lines.append(f"{len(ops) - len(found[where])} of {len(ops)} {words}{'; not: ' if names else ''}{names}")
    for size in SIZES:
        of_size = [result for result in results if key_of(result)[1] == size and ratio_of(result) is not None]
        worst = sorted(of_size, key=lambda result: -ratio_of(result))[:10]
        listed = ", ".join(f"{key_of(result)[0]} {key_of(result)[2]} {ratio_of(result):.2f}" for result in worst)
        if worst:
            lines.append(f"Ten worst at {size:,} elements: {listed}")
    return lines


def holds(results):
    found = misses(results)
    return all(len(found[where]) <= allowed for where, allowed in MAY_MISS.items())


def page(results, about):
    """The text of docs/ops_benchmarks.md."""
    by_key = {key_of(result): result for result in results}
    loads = [result.load for result in results]
    lines = ["# Benchmarks of single ops", "", "Made by `make bench-ops`; do not edit.", ""]
    lines += [f"- Machine: {about['machine']}", *(f"- {title}: {text}" for title, text in about["versions"].items())]
    lines += [f"- Load average while measuring: {min(loads):.1f} to {max(loads):.1f}, ours included", "", HOW]
    lines += [*(f"- {line}" for line in summary(results)), ""]
    columns = [(size, direction) for size in SIZES for direction in ("forward", "backward")]
    lines.append("| call | " + " | ".join(f"{size:,} {direction}" for size, direction in columns) + " |")
    lines.append("| --- |" + " ---: |" * len(columns))
    for name, (call, _) in CALLS.items():
        cells = [by_key.get((name, *column)) for column in columns]
        if any(cells):
            shown = " | ".join(report.cell(result, "rushlight") if result else "" for result in cells)
            lines.append(f"| `{call}` | {shown} |")
    return "\n".join(lines) + "\n"


def main(words=None):
    arguments = parse_arguments(words)
    results, about = report.load(arguments.json) if arguments.load else run(arguments)
    print("\n".join(summary(results)))
    if arguments.report:
        arguments.report.mkdir(parents=True, exist_ok=True)
        path = arguments.report / "ops_benchmarks.md"
        path.write_text("\n".join(filter(None, (page(results, about), kept_section(path)))))
    satisfied = holds(results) if arguments.limits else True
    return 0 if satisfied and not any(result.failed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
