"""`python -m rushlight stand-in`: an environment in which `torch` is Rushlight for every program."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

HELP = "make `import torch` mean Rushlight in this environment"
DESCRIPTION = """\
Put a distribution named torch into the environment of this interpreter, so that plain `python script.py` runs on
Rushlight, pip finds the requirement `torch` met, and `importlib.metadata` answers. `remove`, or `pip uninstall torch`,
takes it away again. Where PyTorch itself is installed nothing is done. A package that wants another torch than 2.13
would make pip replace the stand-in: `pip install PACKAGE torch==2.13.0` makes pip pick versions that fit.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """What may follow the command."""
    parser.add_argument("action", choices=("install", "remove", "status"), help="what to do")


def command(given: Namespace) -> int:
    """Install or remove the stand-in, or say what `import torch` means here."""
    from rushlight.compat import stand_in

    try:
        if given.action == "install":
            folder = stand_in.install()
            print(f"torch {stand_in.DISTRIBUTION_VERSION} is in {folder} now: `import torch` means Rushlight there.")
            print("`python -m rushlight stand-in remove` takes it away again.")
        elif given.action == "remove":
            removed = stand_in.remove()
            print("There is no stand-in here." if removed is None else f"Removed the stand-in from {removed}.")
        else:
            print(stand_in.status())
    except stand_in.StandInError as error:
        print(f"python -m rushlight stand-in: {error}", file=sys.stderr)
        return 1
    return 0
