"""Numbers that stand for sizes not known yet, in captured graphs; here every size is known."""

from rushlight.core.surface.refusals import Refused

__all__ = ["SymBool", "SymFloat", "SymInt"]

WHY = "sizes are known numbers; use int, float and bool"


class SymInt(Refused):
    """A size not known yet: nothing is one, sizes are ints."""

    _path, _why = "SymInt", WHY


class SymFloat(Refused):
    """A number not known yet: nothing is one, numbers are floats."""

    _path, _why = "SymFloat", WHY


class SymBool(Refused):
    """A truth not known yet: nothing is one, truths are bools."""

    _path, _why = "SymBool", WHY
