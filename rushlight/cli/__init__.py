"""The command line: `python -m rushlight script.py` runs a program in which `torch` means Rushlight; and its tools."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import rushlight

if TYPE_CHECKING:
    from argparse import ArgumentParser

USAGE = """\
usage: python -m rushlight script.py [arguments]
       python -m rushlight -m package [arguments]
       python -m rushlight COMMAND ...

Run a program in which `import torch` means Rushlight, or use one of the tools:

  run SCRIPT [arguments]   the same as without `run`, for a script that is called like a command
  doctor SCRIPT [...]      run a training script and say why its network does not learn
  info [--kernels [...]]   what runs here; with --kernels, what native code did while a program ran
  show NAME                an operation: signature, examples, gradients as formulas, kernel, samples
  bench                    a minute's worth of timings beside NumPy, and PyTorch where it is installed
  stand-in ACTION          install, remove or status: `import torch` means Rushlight for every program

`python -m rushlight COMMAND --help` says more.
"""
# the module of each tool: HELP, DESCRIPTION, add_arguments and command
TOOLS = {"doctor": "doctor", "info": "info", "show": "show", "bench": "bench", "stand-in": "stand_in"}


def main() -> None:
    """Act on `sys.argv`, as `python` itself does."""
    if "_ARGCOMPLETE" in os.environ:
        complete()
    arguments = sys.argv[1:]
    match arguments:
        case [] | ["-m"] | ["run"] | ["run", "-m"]:
            wrong_use()
        case ["-h" | "--help" | "help", *_]:
            print(USAGE, end="")
        case ["-V" | "--version", *_]:
            print("Rushlight", rushlight.__version__)
        case [name, *rest] if name in TOOLS:
            sys.exit(use_tool(name, rest))
        case ["run", *program]:
            start(program)
        case program:
            start(program)


def start(program: list[str]) -> None:
    """Run a script or a module with its arguments."""
    from rushlight.cli.run import run_module, run_script

    match program:
        case ["-m", name, *_]:
            run_module(name, program[1:])
        case [option, *_] if option.startswith("-"):
            wrong_use(f"unknown option: {option}\n")
        case [path, *_]:
            if not os.path.exists(path):
                hint_at(path)
            run_script(path, program)


def hint_at(name: str) -> None:
    """A word that is neither a file nor a command may be one misspelt."""
    from difflib import get_close_matches

    found = get_close_matches(name, (*TOOLS, "run", "help"), 1)
    if found:
        print(
            f"python -m rushlight: there is no file {name!r}; did you mean the command `{found[0]}`?", file=sys.stderr
        )
        sys.exit(2)


def wrong_use(complaint: str = "") -> None:
    print(complaint + USAGE, end="", file=sys.stderr)
    sys.exit(2)


def use_tool(name: str, arguments: list[str]) -> int:
    """Run one of the tools; what the shell is told of its success."""
    tool = import_module(f"rushlight.cli.{TOOLS[name]}")
    from argparse import ArgumentParser

    parser = ArgumentParser(prog=f"python -m rushlight {name}")
    describe(parser, tool)
    found: int = tool.command(parser.parse_args(arguments))
    return found


def describe(parser: ArgumentParser, tool: object) -> None:
    """Give a tool's parser its words and arguments."""
    from argparse import RawDescriptionHelpFormatter

    parser.formatter_class = RawDescriptionHelpFormatter
    parser.description = tool.DESCRIPTION  # type: ignore[attr-defined]
    tool.add_arguments(parser)  # type: ignore[attr-defined]


def complete() -> None:
    """Answer a shell that completes a command line by way of argcomplete, if that is installed."""
    try:
        argcomplete = import_module("argcomplete")
    except ModuleNotFoundError:
        return
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="python -m rushlight")
    commands = parser.add_subparsers()
    for name, module in TOOLS.items():
        tool = import_module(f"rushlight.cli.{module}")
        describe(commands.add_parser(name, help=tool.HELP), tool)
    argcomplete.autocomplete(parser)
