"""torch._tensor_str: the printing of tensors under torch's inner names."""

from __future__ import annotations

from typing import Any

from rushlight.core.memory.deferred import resolved
from rushlight.core.object import printing
from rushlight.core.object.printing import get_printoptions, printoptions, repr_tensor, set_printoptions

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]


class PrinterOptions:
    """How tensors are printed, read and written field by field."""

    def __getattr__(self, name: str) -> Any:
        if name not in printing.PrintOptions._fields:
            raise AttributeError(f"'__PrinterOptions' object has no attribute '{name}'")
        return getattr(printing.options, name)

    def __setattr__(self, name: str, value: Any) -> None:
        printing.options = printing.options._replace(**{name: value})


PRINT_OPTS = PrinterOptions()


def _str(self: Any, *, tensor_contents: str | None = None) -> str:
    """A tensor as text."""
    return repr_tensor(self)


_str_intern = _str


def _tensor_str(self: Any, indent: int) -> str:
    """The numbers of a tensor as text, lines after the first moved to the right."""
    return printing.format_values(resolved(self._array), indent)


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """The text of a tensor with its dtype and the like behind, on a line of their own where the first is full."""
    parts, length = [tensor_str], len(tensor_str) - tensor_str.rfind("\n") + 1
    for suffix in suffixes:
        if force_newline or length + len(suffix) + 2 > PRINT_OPTS.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            length, force_newline = indent + len(suffix), False
        else:
            parts.append(", " + suffix)
            length += len(suffix) + 2
    return "".join([*parts, ")"])
