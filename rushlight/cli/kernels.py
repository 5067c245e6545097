"""`python -m rushlight info --kernels`: what native code did while a program ran."""

import atexit
import sys

from rushlight import native
from rushlight.cli.run import run_script


def show_kernels(program: list[str]) -> None:
    """Run the program, if one is given, and print the report on standard error when it ends."""
    if not program:
        print(native.report())
        return
    atexit.register(lambda: print(native.report(), file=sys.stderr))
    run_script(program[0], program)
