"""Twins: one program in two states of the library, without torch: native on and off, one thread and two, run twice.

python -m conformance.programs.twins --count 200 --seed 0
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator

from conformance.programs.execution import Trace, trace
from conformance.programs.grammars import FAMILIES
from conformance.programs.program import Program, generate
from conformance.programs.verdict import first_difference


class Plain:
    """A process with the native layer switched off, which answers programs with traces."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "conformance.programs.twins", "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "RUSHLIGHT_NATIVE": "0"},
        )

    def trace(self, program: Program) -> Trace:
        assert self.process.stdin is not None and self.process.stdout is not None
        pickle.dump(tuple(program), self.process.stdin)
        self.process.stdin.flush()
        return pickle.load(self.process.stdout)

    def __enter__(self) -> Plain:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def serve() -> None:
    """The life of the plain process; what programs print goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            program = Program(*pickle.load(sys.stdin.buffer))
        except EOFError:
            return
        pickle.dump(trace("rushlight", program), answers)
        answers.flush()


def with_two_threads(program: Program) -> Trace:
    import rushlight

    before = rushlight.get_num_threads()
    rushlight.set_num_threads(2)
    try:
        return trace("rushlight", program)
    finally:
        rushlight.set_num_threads(before)


def differences(programs: list[Program], plain: Plain) -> Iterator[str]:
    """A text for each program that does not do the same in all states."""
    for program in programs:
        expected = trace("rushlight", program)
        states = {
            "two threads": with_two_threads(program),
            "a second run": trace("rushlight", program, collect=program.seed % 10 == 0),
        }
        # the layers round differently, and whole trainings add that up; steps and modules have families of their own
        if program.family != "training":
            states["native off"] = plain.trace(program)
        for state, shown in states.items():
            found = first_difference(program, expected, shown)
            if found is not None:
                yield f"{state}, after {found.statement!r}:\n{found.difference}\n{program}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m conformance.programs.twins", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="programs of each family")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return 0
    numbers = range(options.seed, options.seed + options.count)
    found = 0
    with Plain() as plain:
        for family in options.only:
            for text in differences([generate(family, seed, "rushlight") for seed in numbers], plain):
                found += 1
                print(text, end="\n\n")
    print(f"{found} of {options.count * len(options.only)} programs differ between states of the library")
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
