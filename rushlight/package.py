"""torch.package: archives of code, which are neither written nor read here."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.surface.lazy import names_of

__all__ = ["PackageExporter", "PackageImporter", "PackagingError", "is_from_package"]
INSTEAD = "install the code as a Python package, and keep parameters with torch.save(module.state_dict(), file)"


class PackagingError(ValueError):
    """An archive that cannot be written."""


class EmptyMatchError(Exception):
    """A pattern that no module matches."""


class PackageExporter:
    """Refused: archives of code are not written."""

    def __init__(self, *args: Any, **kwargs: Any):
        refuse("PackageExporter")


class PackageImporter:
    """Refused: archives of code are not read."""

    def __init__(self, *args: Any, **kwargs: Any):
        refuse("PackageImporter")


def is_from_package(obj: Any) -> bool:
    """False: nothing comes from such an archive."""
    return False


def refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"torch.package.{name} is not in Rushlight: {INSTEAD}")


__getattr__ = names_of("rushlight.package")
