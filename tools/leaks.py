"""Reads the reports of the leak sanitizer: fails if memory was lost below a function of the native layer.

What Python and NumPy keep until the process ends is reported too. Since it always is, a run without any report
has not looked, and fails as well.
"""

import re
import sys
from pathlib import Path

OURS = re.compile(r"rushlight::|/native/_core\.")
# What Python code made that we had called, such as the modules that it imported, is not ours.
PYTHON = " _PyEval_EvalFrame"


def lost_by_us(reports: str) -> tuple[int, list[str]]:
    """How many losses the reports tell of, and those that our own code made, each with its stack."""
    losses = [block for block in reports.split("\n\n") if " leak of " in block]
    return len(losses), [block for block in losses if OURS.search(block.partition(PYTHON)[0])]


def main(folder: str) -> int:
    count, ours = lost_by_us("".join(each.read_text(errors="replace") for each in Path(folder).glob("leaks.*")))
    print(f"{count} losses reported, {len(ours)} of them by the native layer")
    print("\n\n".join(ours))
    return 1 if ours or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
