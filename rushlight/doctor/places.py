"""Places: the line of the program behind a call, past the packages that it uses."""

from __future__ import annotations

import sys
import sysconfig
from types import FrameType
from typing import Any

from rushlight.errors import location
from rushlight.errors.location import Location

PACKAGES = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})


class Installed(dict):
    """Whether a file belongs to an installed package, to Python itself or to no file at all."""

    def __missing__(self, path: str) -> bool:
        found = path.startswith(PACKAGES) or path.startswith("<frozen") or location.ours[path]
        self[path] = found
        return found


installed = Installed()


class Through(tuple):
    """A line of the program, a Location, that calls a package inside of which something happened."""


def user_line() -> Location | None:
    """The innermost line of the program itself; of a package that it uses where there is no other."""
    place = location.user_line()
    if place is None or not installed[place[0].co_filename]:
        return place
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not installed[frame.f_code.co_filename]:
            return Through((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return Through(place)


def line_of_asking() -> Location | None:
    """The line of the program that calls something, itself or through one function such as `seed_everything`."""
    frame: FrameType | None = sys._getframe(1)
    passed = 0
    while frame is not None and passed < 2:
        file = frame.f_code.co_filename
        if not installed[file]:
            return frame.f_code, frame.f_lasti
        passed += not location.ours[file]
        frame = frame.f_back
    return None


def line_of_making(made: Any) -> Location | None:
    """The line of the program that makes an object, outside of the `__init__` of its own class."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        own = code.co_name == "__init__" and code.co_argcount and frame.f_locals.get(code.co_varnames[0]) is made
        if not own and not installed[code.co_filename]:
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def line_of_error(error: BaseException) -> Location | None:
    """The innermost line of the program on the way of an error."""
    found = None
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not installed[code.co_filename]:
            found = code, traceback.tb_lasti
        traceback = traceback.tb_next
    return found


def on_line(place: Location | None) -> str:
    """` (line 12)`, for a message; nothing where the line is not known."""
    return "" if place is None else f" (line {location.line_number(place)})"


def same_line(one: Location | None, two: Location | None) -> bool:
    """Whether two places are on one line of one file."""
    if one is None or two is None:
        return one is two
    return line_of(one) == line_of(two)


def line_of(place: Location) -> tuple[str, int]:
    """The file of a place and the number of its line."""
    return place[0].co_filename, location.line_number(place)
