"""The command line: `python -m rushlight script.py` runs a program in which `torch` means Rushlight."""

import sys

import rushlight

USAGE = """\
usage: python -m rushlight script.py [arguments]
       python -m rushlight -m package [arguments]

Run a program in which `import torch` means Rushlight.
"""


def main() -> None:
    """Act on `sys.argv`, as `python` itself does."""
    arguments = sys.argv[1:]
    match arguments:
        case [] | ["-m"]:
            print(USAGE, end="", file=sys.stderr)
            sys.exit(2)
        case ["-h" | "--help", *_]:
            print(USAGE, end="")
        case ["-V" | "--version", *_]:
            print("Rushlight", rushlight.__version__)
        case ["-m", name, *_]:
            from rushlight.cli.run import run_module

            run_module(name, arguments[1:])
        case [option, *_] if option.startswith("-"):
            print(f"unknown option: {option}\n{USAGE}", end="", file=sys.stderr)
            sys.exit(2)
        case [path, *_]:
            from rushlight.cli.run import run_script

            run_script(path, arguments)
