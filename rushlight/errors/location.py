"""Locations: the user's line behind a call, kept as (code object, instruction) and resolved when asked."""

from __future__ import annotations

import linecache
import os
import sys
from types import CodeType, FrameType

from rushlight.native import extension

Location = tuple[CodeType, int]

# generated functions are compiled under this prefix too, so that they count as ours
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
GENERATED = PACKAGE + "ops" + os.sep + "<generated>"


class Ours(dict):
    """Whether a file is part of rushlight; looking up costs a quarter of `startswith`."""

    def __missing__(self, path: str) -> bool:
        found = self[path] = path.startswith(PACKAGE)
        return found


ours = Ours()


def user_line(skip: int = 1) -> Location | None:
    """The innermost line outside rushlight on the stack, from the `skip`th caller on; no frame is kept."""
    frame: FrameType | None = sys._getframe(skip)
    while frame is not None:
        if not ours[frame.f_code.co_filename]:
            return frame.f_code, frame.f_lasti
        frame = frame.f_back
    return None


if extension is not None:
    user_line = extension.user_line


def line_number(place: Location) -> int:
    code, instruction = place
    for start, end, line in code.co_lines():
        if start <= instruction < end and line is not None:
            return line
    return code.co_firstlineno


def file_and_line(place: Location) -> str:
    """`train.py:12`, with the path as Python prints it in a traceback, or relative if that is shorter."""
    path = place[0].co_filename
    if (cell := notebook_cell(path)) is not None:
        return f"{cell}:{line_number(place)}"
    if os.path.isabs(path):
        try:
            relative = os.path.relpath(path)
        except ValueError:  # another drive on Windows
            relative = path
        path = min(path, relative, key=len)
    return f"{path}:{line_number(place)}"


def notebook_cell(path: str) -> str | None:
    """`Cell In[3]` for the file that IPython keeps a cell in, whose own name says nothing; None for other files."""
    if "IPython" not in sys.modules:
        return None
    shell = sys.modules["IPython"].get_ipython()
    # IPython's own words for its tracebacks; other shells may have none
    words = getattr(getattr(shell, "compile", None), "format_code_name", None)
    found = words(path) if words is not None else None
    return None if found is None else " ".join(found)


def source(place: Location) -> str:
    return linecache.getline(place[0].co_filename, line_number(place)).strip()


def describe(place: Location | None) -> str:
    """The place and its text, for messages: `train.py:12: loss = model(x)`."""
    if place is None:
        return "an unknown line"
    text = source(place)
    return f"{file_and_line(place)}: {text}" if text else file_and_line(place)
