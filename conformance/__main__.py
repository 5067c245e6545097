"""The command line: `python -m conformance ops`, `samples`, `strides`, `promotion`, `optim`, `programs` ...."""

import argparse
import sys

from conformance import commands
from conformance.pool import WorkerDied

REAL = ("float32", "float64", "int64", "bool")
COMPLEX = ("complex64", "complex128")


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m conformance", description="Agreement with PyTorch, counted.")
    parser.add_argument(
        "command",
        choices=("ops", "samples", "strides", "promotion", "optim", "modules", "transforms", "programs", "all"),
    )
    parser.add_argument("--library", default="rushlight", help="what to compare; `torch` checks the runner itself")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these ops, optimizers or modules alone")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--timeout", type=float, help="seconds an op may take: 60, or 600 with all samples")
    parser.add_argument("--samples", default="20", help="samples of an entry a dtype, spread evenly, or `all`")
    parser.add_argument("--dtypes", nargs="+", default=[*REAL, *COMPLEX], help="input dtypes for op_db")
    parser.add_argument("--complex", action="store_true", help="complex dtypes decide too")
    parser.add_argument("--full", dest="samples", action="store_const", const="all", help="every sample of op_db")
    parser.add_argument("--at-least", type=int, default=220, help="entries of op_db that must agree whole")
    parser.add_argument("--share", type=float, default=0.97, help="part of the entries compared that must agree whole")
    parser.add_argument("--count", type=int, default=40, help="random programs of each family")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first random program")
    parser.add_argument("--whole", type=float, default=0.97, help="part of the programs that must agree wholly")
    parser.add_argument("--close", type=float, default=0.99, help="part that must agree but for words and strides")
    parser.add_argument("--wrong", type=float, default=0.0, help="part that may have a wrong result or error")
    parser.add_argument("--missing", action="store_true", help="only list the entries the library lacks")
    parser.add_argument("--table", metavar="FILE", help="write the table of modules there, in Markdown")
    parser.add_argument("--json", metavar="FILE", help="write every answer there")
    options = parser.parse_args(argv)
    options.timeout = options.timeout or (600 if options.samples == "all" else 60)
    return options


def main() -> int:
    options = parse()
    run = getattr(commands, f"run_{options.command}")
    try:
        return 0 if run(options).holds else 1
    except WorkerDied as death:
        print(death, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
