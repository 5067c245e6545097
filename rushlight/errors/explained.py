"""Explained errors: torch's type and words, raised together with what would help.

    raise explained(RuntimeError, f"shape '{shape}' is invalid for input of size {count}", fix="one size may be -1")

The type is exactly torch's, the words come first; on the way out a call of an op adds its operands, a module its path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from rushlight.errors.location import Location, describe

Kind = TypeVar("Kind", bound=Exception)
# a line of the text: words, or words that end with a line of the user's
Line = str | tuple[str, Location | None]

# How far torch comes before it notices: what a function checks itself it says at once, and has no stage. Later come
# shapes that do not go together, a result that `out=` or the target cannot hold, and what a kernel refuses.
SHAPES, RESULT, KERNEL = "shapes", "result", "kernel"
LATE = {SHAPES, RESULT, KERNEL}
# What is said while an index is read, and of a position that a dimension does not have; of a tensor that was used as a
# condition, a number or a list, in an op the sign of an argument of a wrong kind; of a module that cannot be called.
INDEX, MASK, POSITION, MISUSE, CALL = "index", "mask", "position", "misuse", "call"


class Operand(NamedTuple):
    """What the text tells of a tensor: no error keeps its memory."""

    label: str
    dtype: Any
    shape: tuple[int, ...]
    made: Location | None

    def __str__(self) -> str:
        text = f"{self.label}: {self.dtype} of shape {list(self.shape)}"
        return text if self.made is None else f"{text}, made at {describe(self.made)}"


class Words(str):
    """What an error says: as a string torch's words, as text with the layer, the user's lines, operands and the fix.

    The text is put together when it is read: that costs as much as a failing call, and many errors are caught unread.
    """

    __slots__ = ("fix", "layer", "lines", "names", "operands", "refused", "stage")

    fix: str | None
    # lines that come before the operands
    lines: Sequence[Line]
    # what the words call the operands, where that is not what the function calls them
    names: tuple[str, ...]
    # None until a call of an op has shown its own
    operands: Sequence[Operand] | None
    # the layer that it arose in, once it has passed through a module
    layer: Any
    stage: str
    # the kernel that refuses a dtype, and the dtype, in torch's names
    refused: tuple[str, str] | None

    def __str__(self) -> str:
        head, *more = self.split("\n")
        if self.layer:
            head = f"{head}\n  in {self.layer}"
        lines = [each if isinstance(each, str) else f"{each[0]} {describe(each[1])}" for each in self.lines]
        lines += map(str, self.operands or ())
        if self.fix:
            lines.append(f"fix: {self.fix}")
        return "\n  ".join(["\n".join([head, *more]), *lines])

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple:
        return str, (str(self),)


def explained(
    kind: type[Kind],
    words: str,
    *,
    fix: str | None = None,
    lines: Sequence[Line] = (),
    names: tuple[str, ...] = (),
    stage: str = "",
    refused: tuple[str, str] | None = None,
) -> Kind:
    """An error of torch's kind and words that knows its fix; `lines` stand between."""
    made = Words(words)
    made.fix, made.lines, made.names, made.stage, made.refused = fix, lines, names, stage, refused
    made.operands = made.layer = None
    return kind(made)


def words_of(error: BaseException) -> Words | None:
    """The words of an error that has been explained."""
    args = error.args
    return args[0] if len(args) == 1 and type(args[0]) is Words else None


def given_words(error: BaseException) -> Words | None:
    """The words of any error that says something, ready for more lines; a plain one's are put in their place."""
    args = error.args
    if len(args) != 1 or not isinstance(args[0], str):
        return None
    if type(args[0]) is not Words:
        error.args = explained(Exception, args[0]).args
    return error.args[0]


def stage_of(error: BaseException) -> str:
    """How far torch would have come before it noticed; empty for what functions check themselves."""
    words = words_of(error)
    return "" if words is None else words.stage


def is_late(error: BaseException) -> bool:
    """Whether torch notices this after what its functions check themselves: once shapes and dtypes are compared."""
    return stage_of(error) in LATE
