"""Run the programs of clients/programs with Rushlight standing in for torch, and with torch where it is installed.

    python -m clients --ours .venv-clients/bin/python --torch .venv-clients-torch/bin/python --report docs [names]

A program fails by an exception: each asserts that it learned. Ends with 1 if one failed. With --doctor each runs under
`rushlight doctor` for its first steps instead, and fails if that finds something or cannot look.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from clients.table import written

PROGRAMS = Path(__file__).parent / "programs"
# one thread each, so that processor times compare; no hub is asked
SETTINGS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
LONGEST = 600
# enough steps for every check that waits, and for the rest that follows
DOCTOR = ["-m", "rushlight", "doctor", "--steps", "60"]


@dataclass
class Run:
    """How one program ended in one environment."""

    failure: str | None
    seconds: float
    lines: list[str]
    clock: float = 0.0


def run(python: str, program: Path, *under: str) -> Run:
    """Run a program in an environment, under a command if one is given; the seconds are those of the processor."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    try:
        ended = subprocess.run(
            [python, "-W", "ignore", *under, str(program)],
            env=os.environ | SETTINGS,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Run(f"longer than {LONGEST} seconds", float(LONGEST), [])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    failure = None if ended.returncode == 0 else last_line(ended.stderr)
    return Run(failure, seconds, ended.stdout.splitlines(), time.perf_counter() - began)


def last_line(text: str) -> str:
    """The exception at the end of a traceback, or whatever was said last."""
    lines = [each for each in text.splitlines() if re.match(r"[\w.]+(Error|Exception|Exit|Interrupt)\b", each)]
    return (lines or text.splitlines() or ["ended without a word"])[-1][:200]


def agreement(ours: Run, theirs: Run) -> str:
    """How many of the printed lines are the same letter for letter."""
    equal = sum(one == two for one, two in zip(ours.lines, theirs.lines, strict=False))
    return f"{equal} of {max(len(ours.lines), len(theirs.lines))}"


def rows(programs: list[Path], ours: str, theirs: str | None) -> list[dict]:
    """A row a program, printed as it comes."""
    found = []
    for program in programs:
        mine = run(ours, program)
        other = run(theirs, program) if theirs else None
        row = {
            "program": program.stem,
            "about": program.read_text().split('"""')[1],
            "failure": mine.failure,
            "seconds": mine.seconds,
            "torch_failure": other.failure if other else None,
            "torch_seconds": other.seconds if other and other.failure is None else None,
            "clocks": (mine.clock, other.clock) if other else None,
            "agreement": agreement(mine, other) if other and not (mine.failure or other.failure) else "",
        }
        outcome = "runs" if mine.failure is None else f"FAILS: {mine.failure}"
        beside = f"{row['torch_seconds']:.1f} s" if row["torch_seconds"] else "-"
        print(f"{program.stem:32} {mine.seconds:6.1f} s  torch {beside:>8}  {row['agreement']:9} {outcome}", flush=True)
        found.append(row)
    return found


def examine(programs: list[Path], python: str) -> int:
    """Run programs under the doctor and print what it tells of them; how many it does not leave alone."""
    told = 0
    for program in programs:
        ended = run(python, program, *DOCTOR)
        report = "\n".join(ended.lines).partition("Rushlight's doctor: ")[2]
        silent = ended.failure is None and "failed and say nothing" not in report
        told += not silent
        print(f"{program.stem:32} {ended.seconds:6.1f} s  {'left alone' if silent else 'TOLD'}", flush=True)
        if not silent:
            print(report or ended.failure, flush=True)
    print(f"{len(programs) - told} of {len(programs)} left alone")
    return told


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m clients", description=__doc__)
    parser.add_argument("names", nargs="*", help="programs to run; all without one")
    parser.add_argument("--ours", required=True, help="a Python in whose environment Rushlight stands in for torch")
    parser.add_argument("--torch", help="a Python in whose environment torch itself is installed")
    parser.add_argument("--doctor", action="store_true", help="whether the doctor leaves the programs alone")
    parser.add_argument("--report", type=Path, help="the folder for clients.md")
    given = parser.parse_args()
    programs = [each for each in sorted(PROGRAMS.glob("*.py")) if not given.names or each.stem in given.names]
    if given.doctor:
        return bool(examine(programs, given.ours))
    found = rows(programs, given.ours, given.torch)
    if given.report is not None:
        page = given.report / "clients.md"
        before = page.read_text() if given.names and page.exists() else ""
        page.write_text(written(found, given.ours, before))
    failed = [each["program"] for each in found if each["failure"]]
    print(f"{len(found) - len(failed)} of {len(found)} run" + (f"; not {', '.join(failed)}" if failed else ""))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
