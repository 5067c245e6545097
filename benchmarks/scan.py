"""A scan for cliffs: every op, module and optimizer against torch, in several sizes, layouts and dtypes, on one thread.

    python -m benchmarks.scan [--only cummax nn.LSTM] [--sizes 100000] [--everything] [--report docs]

What is called comes from the registry of ops and the samples beside each, from torch's database of modules and from the
classes of `optim`; samples grow until their largest tensor has about so many elements. The libraries run in processes
of their own on the same data and take turns; the best round counts. A quick look at each entry, a closer one where the
ratio is above 1.1. Entries that one of the libraries refuses are counted and left out.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from benchmarks import report
from benchmarks.libraries import ROOT, find_libraries
from benchmarks.scanning import summary
from benchmarks.scanning.entries import SIZES, series_of
from benchmarks.scanning.growth import limit_memory
from benchmarks.scanning.measuring import OURS, THEIRS, Pair
from benchmarks.scanning.subjects import functions, modules, optimizers
from conformance.libraries import Library

KINDS = ("functions", "modules", "optimizers")


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="cummax, linalg.solve, nn.LSTM, optim.Adam"
    )
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="elements of the largest tensor")
    parser.add_argument("--everything", action="store_true", help="every sample in every layout and dtype; takes hours")
    parser.add_argument("--busy", action="store_true", help="others use the machine: count the processes' own time")
    parser.add_argument("--no-memory", action="store_true", help="leave out the peak of memory at the largest size")
    parser.add_argument("--minutes", type=float, default=240.0, help="stop after this long; what is left is counted")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "scan.json", help="where raw numbers go")
    parser.add_argument("--load", action="store_true", help="measure nothing, take the numbers of --json")
    parser.add_argument("--report", type=Path, metavar="FOLDER", help="write the section of ops_benchmarks.md there")
    return parser.parse_args(words)


def run(arguments):
    """Measure, print and save; what was found and what it was measured on."""
    pythons, missing = find_libraries((THEIRS, OURS))
    if missing:
        sys.exit("\n".join(missing))
    limit_memory()
    if arguments.busy:
        os.environ["SCAN_BUSY"] = "1"
    pair = Pair(pythons, not arguments.no_memory)
    found, began = [], time.time()
    left_out = {"cannot grow": [], "not reached": []}
    try:
        descriptions = {name: pair.processes[name].ask("describe", limit=60) for name in (THEIRS, OURS)}
        about = {"machine": report.machine(), "versions": report.describe_versions(descriptions)}
        for subject, cases in subjects(arguments, pair):
            if time.time() - began > arguments.minutes * 60:
                left_out["not reached"].append(subject.name)
                continue
            if not cases:
                left_out["cannot grow"].append(subject.name)
            of_subject = []
            for series in series_of(cases, sorted(arguments.sizes), arguments.everything):
                of_subject += pair.measure_series(series)
            print(summary.line(subject.name, of_subject, bool(arguments.only)), flush=True)
            found += of_subject
    finally:
        pair.close()
    about |= {"left_out": left_out, "minutes": round((time.time() - began) / 60, 1)}
    summary.save(arguments.json, found, about)
    return found, about


def subjects(arguments, pair):
    """Yield each subject with its cases, as many kinds as are asked for."""
    library = Library(OURS)
    if "functions" in arguments.kinds:
        yield from functions(library, arguments.only)
    if "optimizers" in arguments.kinds:
        yield from optimizers(library, arguments.only)
    if "modules" in arguments.kinds and (not arguments.only or any("nn." in each for each in arguments.only)):
        answer = pair.processes[THEIRS].ask("modules", limit=120)
        if "modules" not in answer:
            sys.exit(f"torch's database of modules cannot be read: {answer}")
        yield from modules(library, answer["modules"], arguments.only)


def main(words=None):
    arguments = parse_arguments(words)
    found, about = summary.load(arguments.json) if arguments.load else run(arguments)
    print("\n".join(summary.lines(found, about)))
    if arguments.report:
        summary.write(arguments.report / "ops_benchmarks.md", found, about)
    return 0 if any(each.ratio is not None for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
