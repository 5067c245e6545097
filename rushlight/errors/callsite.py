"""Call sites: how the user's line gave its arguments, read from its instructions once a call has failed."""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CodeType

from rushlight.errors.location import Location, user_line


def given_by_name() -> tuple[str, ...]:
    """The names before `=` in the call that the user's line is at; none where they cannot be told."""
    place = user_line(2)
    return () if place is None else keywords_at(place)


# a program that tries something in a loop fails at one place: to read 100 lines takes a millisecond
@lru_cache(16)
def instructions_of(code: CodeType) -> tuple[dis.Instruction, ...]:
    return tuple(dis.get_instructions(code))


def keywords_at(place: Location) -> tuple[str, ...]:
    """The keyword names of the call at an instruction; `**options` do not show."""
    code, offset = place
    # the instruction itself may be followed by its caches, at the last of which a call of a Python function stands
    *_, second, first, call = [None, None, *[each for each in instructions_of(code) if each.offset <= offset]]
    for each in (first, second):
        # Python 3.11 and 3.12 have an instruction for the names, later ones load them as a constant
        if each is not None and each.opname == "KW_NAMES" and each.arg is not None:
            return code.co_consts[each.arg]
    if first is not None and call is not None and call.opname.startswith("CALL_KW"):
        return first.argval
    return ()


def positionals_at(place: Location, name: str) -> int | None:
    """How many arguments came by position in the call of an attribute of that name; None where it is another call."""
    code, offset = place
    before = [each for each in instructions_of(code) if each.offset <= offset]
    call = before[-1] if before else None
    if call is None or call.arg is None or call.opname.removeprefix("INSTRUMENTED_") not in ("CALL", "CALL_KW"):
        return None
    loads = [each.argval for each in before if each.opname in ("LOAD_ATTR", "LOAD_METHOD")]
    return call.arg - len(keywords_at(place)) if name in loads else None


def position_words(name: str, position: int) -> str:
    """` (position 2)`, which torch says of arguments that were not given by name."""
    return "" if name in given_by_name() else f" (position {position})"


def place_words(function: str, name: str, place: int, required: tuple[str, ...]) -> str:
    """As `position_words` for the argument at a place of a function that is a method too.

    A method does not count the tensor itself. It was one if the line gives fewer arguments than the function
    needs: those up to this one, and those that have no default.
    """
    found = user_line(2)
    by_name = () if found is None else keywords_at(found)
    if name in by_name:
        return ""
    needed = max([place, *[number for number, each in enumerate(required) if each not in by_name]]) + 1
    given = None if found is None else positionals_at(found, function)
    return f" (position {place if place and given == needed - 1 else place + 1})"
