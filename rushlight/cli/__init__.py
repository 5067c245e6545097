"""The command line: `python -m rushlight script.py` runs a program in which `torch` means Rushlight."""

import sys

import rushlight

USAGE = """\
usage: python -m rushlight script.py [arguments]
       python -m rushlight -m package [arguments]
       python -m rushlight info [--kernels [script.py [arguments]]]

Run a program in which `import torch` means Rushlight. `info` tells what runs here; with `--kernels`, what native code
did and what it left to Python while the program ran.
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
        case ["info"]:
            print(rushlight.info())
        case ["info", "--kernels", *program]:
            from rushlight.cli.kernels import show_kernels

            show_kernels(program)
        case ["info", *_]:
            print(f"info takes --kernels or nothing\n{USAGE}", end="", file=sys.stderr)
            sys.exit(2)
        case ["-m", name, *_]:
            from rushlight.cli.run import run_module

            run_module(name, arguments[1:])
        case [option, *_] if option.startswith("-"):
            print(f"unknown option: {option}\n{USAGE}", end="", file=sys.stderr)
            sys.exit(2)
        case [path, *_]:
            from rushlight.cli.run import run_script

            run_script(path, arguments)
