"""Runs the notebooks and holds what they print against what they show; the extra `notebooks` brings what that needs.

    python tools/notebooks.py             end with 1 where something differs
    python tools/notebooks.py --write     put the new outputs into the files

What cells print is compared, and of what kinds their displays are: in those the last digit is the machine's.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "notebooks").glob("*.ipynb"))


def executed(path: Path, timeout: int = 120) -> Any:
    """A notebook after a run of its own process, from the folder that it lies in."""
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(path, as_version=4)
    # a debugger that would be there for nobody; it warns about frozen modules
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    resources = {"metadata": {"path": str(path.parent)}}
    NotebookClient(book, timeout=timeout, kernel_name="python3", resources=resources).execute()
    return book


def shown(book: Any) -> list[str]:
    """What each cell with code shows."""
    return ["".join(map(words_of, cell.outputs)) for cell in book.cells if cell.cell_type == "code"]


def words_of(output: Any) -> str:
    """What was printed, or the kinds of a display; whether graphs are pictures is the machine's affair."""
    if output.output_type == "stream":
        return output.text
    return " and ".join(sorted({"text" if kind == "text/plain" else "a display" for kind in output["data"]})) + "\n"


def tidy(book: Any) -> Any:
    """Without what changes from run to run."""
    for cell in book.cells:
        cell.metadata.pop("execution", None)
    book.metadata["language_info"] = {"name": "python"}
    return book


def main() -> int:
    import nbformat

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "files", nargs="*", type=Path, default=FILES, metavar="NOTEBOOK", help="all, unless some are named"
    )
    parser.add_argument("--write", action="store_true", help="put the new outputs into the files")
    arguments = parser.parse_args()
    good = True
    for path in arguments.files:
        book = executed(path)
        if arguments.write:
            nbformat.write(tidy(book), path)
        stored = shown(nbformat.read(path, as_version=4))
        for before, found in zip(stored, shown(book), strict=True):
            if before != found:
                good = False
                print(f"{path.name} shows\n{before}but the cell prints\n{found}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
