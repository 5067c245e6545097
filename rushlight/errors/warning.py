"""Warnings that point at the user's line, however deep in rushlight they are raised."""

from __future__ import annotations

import sys
import warnings

from rushlight.errors.location import ours, user_line

# what has been said, and on which lines of the user's
_warned: set[tuple] = set()


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning whose place is the innermost line outside rushlight."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and ours[frame.f_code.co_filename]:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def first_time(about: str) -> bool:
    """Whether the user's line is here for the first time, as far as `about` goes."""
    key = (about, user_line())
    if key in _warned:
        return False
    _warned.add(key)
    return True
