"""Where a program stands: the lines of the stack, kept cheaply and shown later."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from types import CodeType, TracebackType

__all__ = ["CapturedTraceback", "format_frame", "format_traceback_short", "shorten_filename"]


def shorten_filename(fn: str, *, base: str | None = None) -> str:
    """A path without what it has in common with `base`, the folder of the library."""
    start = os.path.dirname(os.path.dirname(__file__)) if base is None else base
    try:
        common = os.path.commonpath([fn, start])
    except ValueError:
        return fn
    return fn[len(common) + 1 :]


def format_frame(frame: traceback.FrameSummary, *, base: str | None = None, line: bool = False) -> str:
    """One line for a frame: file, line number and function, after the code if wanted."""
    code = f"{frame.line}  # " if line else ""
    return f"{code}{shorten_filename(frame.filename, base=base)}:{frame.lineno} in {frame.name}"


def format_traceback_short(tb: TracebackType | None) -> str:
    """The innermost frame of a traceback."""
    return format_frame(traceback.extract_tb(tb)[-1])


class CapturedTraceback:
    """The stack at one moment: code objects and line numbers, innermost first."""

    __slots__ = ("skip", "tb")

    def __init__(self, tb: list[tuple[CodeType, int]] | None, skip: int = 0):
        self.tb, self.skip = tb, skip

    @staticmethod
    def extract(*, script: bool = False, cpp: bool = False, skip: int = 0) -> CapturedTraceback:
        """The stack of the caller, without its `skip` innermost frames."""
        if (script or cpp) and skip != 0:
            raise AssertionError("skip with script/cpp NYI")
        frame, found = sys._getframe(1), []
        while frame is not None:
            found.append((frame.f_code, frame.f_lineno))
            frame = frame.f_back  # type: ignore[assignment]
        return CapturedTraceback(found, skip)

    def cleanup(self) -> None:
        """Forget the stack."""
        self.tb = None

    def summary(self) -> traceback.StackSummary:
        """The stack as Python's own summary, innermost last."""
        frames = [] if self.tb is None else self.tb[self.skip :]
        rows = [traceback.FrameSummary(code.co_filename, line, code.co_name) for code, line in reversed(frames)]
        return traceback.StackSummary.from_list(rows)

    def format(self) -> list[str]:
        """The lines that a traceback would show."""
        return traceback.format_list(self.summary())

    @staticmethod
    def format_all(tbs: Sequence[CapturedTraceback]) -> list[list[str]]:
        """The lines of several."""
        return [each.format() for each in tbs]

    def __getstate__(self) -> tuple[None, dict]:
        return None, {"tb": None, "skip": self.skip}
