"""torch.export: programs are not captured whole; the names say what to do instead."""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from rushlight.core.surface.lazy import names_of

__all__ = [
    "Dim",
    "ExportedProgram",
    "dims",
    "draft_export",
    "export",
    "load",
    "register_dataclass",
    "save",
    "unflatten",
]
INSTEAD = "torch.fx.symbolic_trace records what a module does, torch.save keeps its parameters"


class Hint(enum.Enum):
    """What may be said of a size without giving it a name."""

    AUTO, DYNAMIC, STATIC = range(1, 4)


class Dim:
    """A name for a size that may change; it describes a program, and is kept as it is."""

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None):
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__, self.min, self.max = name, min, max

    def __repr__(self) -> str:
        return f"Dim('{self.__name__}', min={self.min}, max={self.max})"

    # hints in place of a name, for a size that may change and one that may not
    AUTO, DYNAMIC, STATIC = Hint.AUTO, Hint.DYNAMIC, Hint.STATIC


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Several names for sizes."""
    return tuple(Dim(name, min=min, max=max) for name in names)


class ExportedProgram:
    """A program captured whole: there is none, so `isinstance` says False."""

    def __init__(self, *args: Any, **kwargs: Any):
        refuse("ExportedProgram")


def refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"torch.export.{name} is not in Rushlight: {INSTEAD}")


def export(mod: Any, args: tuple = (), kwargs: Any = None, **options: Any) -> NoReturn:
    """Refused: torch.fx.symbolic_trace records what a module does."""
    refuse("export")


def draft_export(mod: Any, args: tuple = (), kwargs: Any = None, **options: Any) -> NoReturn:
    """Refused: torch.fx.symbolic_trace records what a module does."""
    refuse("draft_export")


def save(ep: Any, f: Any, **options: Any) -> NoReturn:
    """Refused: there is no captured program to write."""
    refuse("save")


def load(f: Any, **options: Any) -> NoReturn:
    """Refused: captured programs need torch's dispatcher."""
    refuse("load")


def unflatten(module: Any, flat_args_adapter: Any = None) -> NoReturn:
    """Refused: there is no captured program."""
    refuse("unflatten")


def register_dataclass(cls: Any, *, serialized_type_name: str | None = None) -> None:
    """Nothing: dataclasses stay what they are where no program is captured."""


__getattr__ = names_of("rushlight.export")
