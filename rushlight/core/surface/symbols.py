"""Numbers that stand for sizes not known yet, in captured graphs; here every size is known."""

from typing import Any

from rushlight.core.surface.refusals import Refused

__all__ = ["SymBool", "SymFloat", "SymInt"]

WHY = "sizes are known numbers; use int, float and bool"


class Symbol(Refused):
    """Base of the three: made from a node of a graph, of which there are none."""

    def __new__(cls, node: Any) -> Any:
        return super().__new__(cls, node)


class SymInt(Symbol):
    """A size not known yet: nothing is one, sizes are ints."""

    _path, _why = "SymInt", WHY


class SymFloat(Symbol):
    """A number not known yet: nothing is one, numbers are floats."""

    _path, _why = "SymFloat", WHY


class SymBool(Symbol):
    """A truth not known yet: nothing is one, truths are bools."""

    _path, _why = "SymBool", WHY
