"""Rushlight's speed against other libraries', on the same work with the same losses.

    python -m benchmarks.compare [workload ...] [--libraries torch jax rushlight] [--threads 1 2] [--quick] [--limits]

Every library lives in a process and an environment of its own. They take turns within a round, and the best
of the rounds counts; a machine with other work than this gives no numbers to trust, so the load is shown. First
their results are compared: a number only means something if the work was the same. Ends with 1 if they differ, or
with --limits if one does not hold.
"""

import argparse
import sys
from pathlib import Path

from benchmarks import plot, report, scaling, startup
from benchmarks.libraries import LIBRARIES, ROOT, find_libraries
from benchmarks.measure import Plan, measure
from benchmarks.runner import Runner
from benchmarks.workloads import QUICK, WORKLOADS

FRESH = ("start",)
QUICK_LIBRARIES = ("torch", "torch_fused", "rushlight", "rushlight_plain")


def parse_arguments(words=None):
    names = [*WORKLOADS, *FRESH]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", metavar="workload", help=", ".join(names))
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, metavar="library", help=", ".join(LIBRARIES))
    parser.add_argument("--threads", type=int, nargs="+", default=[1], help="more than one: the large workloads only")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--turn", type=float, default=0.05, help="seconds of one library's turn within a round")
    parser.add_argument("--quick", action="store_true", help="the first five workloads, torch and Rushlight")
    parser.add_argument("--limits", action="store_true", help="check what Rushlight has to reach")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "benchmarks.json", help="where raw numbers go")
    parser.add_argument("--report", type=Path, metavar="FOLDER", help="write benchmarks.md and benchmarks.png there")
    parser.add_argument("--load", action="store_true", help="measure nothing, take the numbers of --json")
    arguments = parser.parse_args(words)
    arguments.workloads = arguments.workloads or (QUICK if arguments.quick else names)
    arguments.libraries = arguments.libraries or (QUICK_LIBRARIES if arguments.quick else tuple(LIBRARIES))
    for name in arguments.workloads:
        if name not in names:
            parser.error(f"no workload {name}; there are {', '.join(names)}")
    return arguments


def measure_all(arguments, pythons):
    """Yield the results one by one."""
    plan = Plan(arguments.rounds, arguments.turn)
    timed = [name for name in arguments.workloads if name in WORKLOADS]
    for threads in arguments.threads:
        names = [name for name in timed if threads == 1 or WORKLOADS[name].large]
        yield from measure(names, pythons, threads, plan)
    if "start" in arguments.workloads:
        yield startup.measure_import(pythons, arguments.rounds // 3 + 1)
        yield from startup.measure_runs(pythons, arguments.rounds // 6 + 1)


def describe(pythons):
    """What each library's process says about itself."""
    descriptions = {}
    for library, python in pythons.items():
        runner = Runner(library, python)
        descriptions[library] = runner.describe()
        runner.close()
    return descriptions


def run(arguments):
    """Measure, print and save; the results and what they were measured on."""
    pythons, missing = find_libraries(arguments.libraries)
    about = {
        "machine": report.machine(),
        "versions": report.describe_versions(describe(pythons)),
        "missing": missing,
    }
    print("\n".join([about["machine"], *(f"{title}: {text}" for title, text in about["versions"].items()), *missing]))
    results = []
    for result in measure_all(arguments, pythons):
        report.print_result(result)
        sys.stdout.flush()
        results.append(result)
        report.save(arguments.json, results, about)
    return results, about


def main(words=None):
    arguments = parse_arguments(words)
    results, about = report.load(arguments.json) if arguments.load else run(arguments)
    if arguments.load:
        for result in results:
            report.print_result(result)
    if arguments.report:
        arguments.report.mkdir(parents=True, exist_ok=True)
        plot.draw(results, arguments.report / "benchmarks.png")
        page = arguments.report / "benchmarks.md"
        several = scaling.between_marks(page.read_text()) if page.exists() else ""
        page.write_text(report.page(results, about, "benchmarks.png", several))
    holds = report.print_limits(results) if arguments.limits else True
    return 0 if holds and not any(result.failed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
