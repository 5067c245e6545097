"""Where an error was raised: by a `raise` of ours, by NumPy or Python for us, or in a function of the user's."""

from __future__ import annotations

from opcode import opmap
from types import TracebackType

from rushlight.errors.location import ours

RAISE = opmap["RAISE_VARARGS"]


def innermost(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def is_ours(error: BaseException) -> bool:
    """Whether an error was raised in rushlight or NumPy, and not in a function of the user's that we called."""
    trace = innermost(error.__traceback__)
    if trace is None:
        return True
    path = trace.tb_frame.f_code.co_filename
    return ours[path] or "/numpy/" in path or "/scipy/" in path


def is_worded(error: BaseException) -> bool:
    """Whether a `raise` of ours gave the error its words: those are torch's, and not to be read or translated."""
    trace = innermost(error.__traceback__)
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    # C functions have no frames: what NumPy raises seems to come from the line that called it
    return ours[code.co_filename] and code.co_code[trace.tb_lasti] == RAISE
