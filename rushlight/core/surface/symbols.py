"""Numbers that stand for sizes not known yet, in captured graphs; here every size is known."""

from rushlight.core.surface.refusals import refusing_class

__all__ = ["SymBool", "SymFloat", "SymInt"]

WHY = "sizes are known numbers; use int, float and bool"
SymInt, SymFloat, SymBool = (refusing_class(name, WHY) for name in ("SymInt", "SymFloat", "SymBool"))
