"""`python -m rushlight info`: what runs here, and what native code did while a program ran."""

from __future__ import annotations

import argparse
import atexit
import sys
from argparse import ArgumentParser, Namespace

import rushlight
from rushlight import native

HELP = "what runs here"
DESCRIPTION = """\
Tell what this installation is made of: versions, the native layer and what it uses of the CPU, threads, memory, and
what plain `import torch` means. With --kernels, run a program and tell what native code did in it and what it left to
Python, with the reasons; without a program, list the kernels.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """What may follow the command."""
    parser.add_argument(
        "--kernels",
        nargs=argparse.REMAINDER,
        metavar="script.py",
        help="a program and its arguments, to be run and counted",
    )


def command(given: Namespace) -> int:
    """Print what is asked for."""
    if given.kernels is None:
        print(rushlight.info())
    elif not given.kernels:
        print(native.report())
    else:
        from rushlight.cli.run import run_script

        atexit.register(lambda: print(native.report(), file=sys.stderr))
        run_script(given.kernels[0], given.kernels)
    return 0
