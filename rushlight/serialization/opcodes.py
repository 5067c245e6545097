"""Opcodes: walking over a pickle without running it, and giving the classes in it other names."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pickle import UnpicklingError
from struct import Struct
from typing import Any

from rushlight.serialization.names import is_ours, torch_name

# opcodes by the length of what follows them
FIXED = {pickle.BININT: 4, pickle.BININT1: 1, pickle.BININT2: 2, pickle.BINFLOAT: 8, pickle.BINGET: 1}
FIXED |= {pickle.LONG_BINGET: 4, pickle.BINPUT: 1, pickle.LONG_BINPUT: 4, pickle.PROTO: 1, pickle.FRAME: 8}
FIXED |= {pickle.EXT1: 1, pickle.EXT2: 2, pickle.EXT4: 4}
COUNTED = {pickle.SHORT_BINSTRING: 1, pickle.SHORT_BINBYTES: 1, pickle.SHORT_BINUNICODE: 1, pickle.LONG1: 1}
COUNTED |= {pickle.BINSTRING: 4, pickle.BINBYTES: 4, pickle.BINUNICODE: 4, pickle.LONG4: 4}
COUNTED |= {pickle.BINBYTES8: 8, pickle.BINUNICODE8: 8, pickle.BYTEARRAY8: 8}
LINES = {pickle.GLOBAL: 2, pickle.INST: 2, pickle.INT: 1, pickle.LONG: 1, pickle.FLOAT: 1, pickle.STRING: 1}
LINES |= {pickle.UNICODE: 1, pickle.GET: 1, pickle.PUT: 1, pickle.PERSID: 1}
ALONE = [getattr(pickle, name) for name in vars(pickle) if name.isupper() and type(vars(pickle)[name]) is bytes]
ALONE = [each for each in ALONE if len(each) == 1 and each not in {**FIXED, **COUNTED, **LINES}]

LENGTH: dict[int, int] = {each[0]: length for each, length in FIXED.items()} | {each[0]: 0 for each in ALONE}
FORMS = {1: Struct("<B"), 4: Struct("<I"), 8: Struct("<Q")}
COUNT = {each[0]: (width, FORMS[width]) for each, width in COUNTED.items()}
LINE = {each[0]: count for each, count in LINES.items()}

GLOBAL, STACK_GLOBAL, STOP, FRAME, MEMOIZE = b"c\x93.\x95\x94"
BINPUT, LONG_BINPUT, BINGET, LONG_BINGET = b"qrhj"
STRINGS = frozenset(b"X\x8c\x8d")


def steps(data: Any, place: int = 0) -> Iterator[tuple[int, int, int, int]]:
    """Each opcode of a pickle: itself, where it stands, where what belongs to it begins, and where that ends."""
    end = len(data)
    while place < end:
        code = data[place]
        first = place + 1
        if code in LENGTH:
            after = first + LENGTH[code]
        elif code in COUNT:
            width, form = COUNT[code]
            if first + width > end:
                raise UnpicklingError("pickle data was truncated")
            (length,) = form.unpack_from(data, first)
            first += width
            after = first + length
        elif code in LINE:
            after = after_lines(data, first, LINE[code])
        else:
            raise UnpicklingError(f"Unsupported operand {code}: no such opcode is known")
        if after > end:
            raise UnpicklingError("pickle data was truncated")
        yield code, place, first, after
        if code == STOP:
            return
        place = after
    raise EOFError("Ran out of input: the pickle has no end")


def after_lines(data: Any, place: int, count: int) -> int:
    for _ in range(count):
        found = data.find(b"\n", place)
        if found < 0:
            raise UnpicklingError("pickle data was truncated")
        place = found + 1
    return place


class Strings:
    """What a walk has to know for the names that protocol 4 takes from the stack: the last two strings on it."""

    def __init__(self, data: Any):
        self.data = data
        self.memo: dict[int, str | None] = {}
        self.last: list[str | None] = [None, None]

    def step(self, code: int, first: int, after: int) -> None:
        if code in STRINGS:
            self.push(str(self.data[first:after], "utf-8", "surrogatepass"))
        elif code == MEMOIZE:
            self.memo[len(self.memo)] = self.last[1]
        elif code in (BINPUT, LONG_BINPUT):
            self.memo[int.from_bytes(self.data[first:after], "little")] = self.last[1]
        elif code in (BINGET, LONG_BINGET):
            self.push(self.memo.get(int.from_bytes(self.data[first:after], "little")))
        elif code != FRAME:
            self.push(None)

    def push(self, value: str | None) -> None:
        self.last = [self.last[1], value]


def global_names(data: Any, place: int = 0) -> Iterator[tuple[str, str]]:
    """The module and the name of everything that a pickle takes from a module."""
    strings = Strings(data)
    for code, _, first, after in steps(data, place):
        if code == GLOBAL:
            module, name = str(data[first : after - 1], "utf-8").split("\n")
            yield module, name
        elif code == STACK_GLOBAL:
            yield strings.last[0] or "?", strings.last[1] or "?"
        strings.step(code, first, after)


def renamed(data: bytes, name_of: Callable[[str, str], tuple[str, str]] = torch_name) -> bytes:
    """The pickle, with torch's names for what is ours."""
    if b"rushlight" not in data:
        # nothing to do for a million numbers: looking at each takes a second
        return data
    strings, pieces, done = Strings(data), [], 0
    deep = data[1] >= 4
    for code, start, first, after in steps(data):
        if code == GLOBAL:
            module, name = str(data[first : after - 1], "utf-8").split("\n")
        elif code == STACK_GLOBAL:
            module, name = strings.last[0] or "", strings.last[1] or ""
        elif code == FRAME:
            # their lengths change with the names; a pickle does without
            pieces.append(data[done:start])
            done = after
            continue
        else:
            if deep:
                strings.step(code, first, after)
            continue
        if is_ours(module):
            # the two strings of STACK_GLOBAL are popped again: somebody else may mean them by their memo
            pops = b"00" if code == STACK_GLOBAL else b""
            line = "c{}\n{}\n".format(*name_of(module, name)).encode()
            pieces += [data[done:start], pops, line]
            done = after
        if deep:
            strings.step(code, first, after)
    return b"".join([*pieces, data[done:]])
