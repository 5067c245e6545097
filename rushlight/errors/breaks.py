"""Breaks: what a compiled function may not do where its graph must stay whole, `fullgraph=True`."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import NoReturn

from rushlight.errors.location import PACKAGE, describe, ours, user_line

CORE = PACKAGE + "core" + os.sep


def numbers_decide(name: str) -> None:
    """The program asks a tensor's numbers what to do next, or prints them; our own looks are none.

    As in torch, a number that leaves by `item()` is no break.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(CORE):
        frame = frame.f_back
    if frame is None or not ours[frame.f_code.co_filename]:
        refuse(f"{name} needs a tensor's numbers")


def refuse(words: str) -> NoReturn:
    """Here the graph would break."""
    from rushlight._dynamo.exc import Unsupported

    raise Unsupported(f"{words}: fullgraph=True allows no break, at {describe(user_line())}")
