"""`python -m rushlight doctor script.py`: run a program under observation, and say why its network does not learn."""

from __future__ import annotations

import argparse
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

HELP = "why a network does not learn"
DESCRIPTION = """\
Run a training script, written for PyTorch or for Rushlight, under observation, and tell what is wrong with it: which
parameter does not learn, the line that is to blame, and what to write instead. The script computes the same numbers as
without. Write `# rushlight: ignore[id]` behind a line that is meant as it is.

The exit code is 0 if nothing was found, 1 if something was, 2 if the script failed for another reason.
"""
FOUND, FAILED = 1, 2


def add_arguments(parser: ArgumentParser) -> None:
    """What may follow the command."""
    parser.add_argument(
        "--json", action="store_true", help="findings as a JSON list on standard output, all else on standard error"
    )
    parser.add_argument("--html", metavar="FILE", help="write a page with findings, curves and the graph")
    parser.add_argument("--steps", type=positive, metavar="N", help="stop after N optimizer steps")
    parser.add_argument("--all", action="store_true", help="also what may be meant: checks that guess")
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="ID", help="leave a finding out; may be repeated"
    )
    parser.add_argument("--list", action="store_true", help="list what can be found")
    parser.add_argument(
        "-m", dest="module", nargs=argparse.REMAINDER, metavar="module", help="run a module, with its arguments"
    )
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="script.py", help="the script and its arguments")


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def command(given: Namespace) -> int:
    """Run the program; what the shell is told."""
    from rushlight import doctor

    if given.list:
        return list_checks()
    if not given.program and not given.module:
        print("python -m rushlight doctor: which script? See --help", file=sys.stderr)
        return FAILED
    try:
        watch = doctor.Watch(all=given.all, ignore=given.ignore, steps=given.steps)
    except ValueError as error:
        print(f"python -m rushlight doctor: {error}", file=sys.stderr)
        return FAILED
    results = keep_standard_output() if given.json else None
    failed = run(watch, given)
    sys.stdout.flush()
    report(watch, given, results)
    if watch.findings:
        return FOUND
    return FAILED if failed else 0


def keep_standard_output() -> int:
    """Let all that the program prints, and processes it starts, go to standard error; the real output is returned."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    return kept


def run(watch: Watch, given: Namespace) -> bool:
    """Run the program as `python` would; whether it failed."""
    from rushlight.cli.run import run_module, run_script
    from rushlight.doctor.watch import Enough

    try:
        with watch:
            if given.module:
                run_module(given.module[0], given.module)
            else:
                run_script(given.program[0], given.program)
    except Enough:
        return False
    except SystemExit as stopped:
        if stopped.code and not isinstance(stopped.code, int):
            print(stopped.code, file=sys.stderr)
        return bool(stopped.code)
    except KeyboardInterrupt:
        return True
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return True
    return False


def report(watch: Watch, given: Namespace, results: int | None) -> None:
    from rushlight.doctor.report import terminal

    if results is not None:
        with os.fdopen(results, "w") as file:
            json.dump([each.as_dict() for each in watch.findings], file, indent=2, default=str)
            file.write("\n")
    else:
        terminal.print_report(watch, sys.stdout)
    if given.html:
        from rushlight.doctor.report import page

        page.write(watch, given.html)


def list_checks() -> int:
    from rushlight.doctor.catalogue import all_checks

    for each in all_checks().values():
        print(f"{each.id:30} tier {each.tier}  {each.severity:8} {each.explanation}")
    return 0
