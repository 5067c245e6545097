"""torch.onnx.errors: what export refuses, with the line of the program that it cannot write."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.errors.explained import explained
from rushlight.errors.location import Location

__all__ = ["OnnxExporterError", "OnnxExporterWarning", "SymbolicValueError", "UnsupportedOperatorError"]


class OnnxExporterWarning(UserWarning):
    """A warning of export."""


class OnnxExporterError(RuntimeError):
    """An error of export; the base of all others."""


class UnsupportedOperatorError(OnnxExporterError):
    """An operation that cannot be written."""


class SymbolicValueError(OnnxExporterError):
    """A value that cannot be written."""


for each in (OnnxExporterError, OnnxExporterWarning, SymbolicValueError, UnsupportedOperatorError):
    each.__module__ = "torch.onnx" if each is OnnxExporterError else "torch.onnx.errors"


def refuse(words: str, place: Location | None, fix: str, kind: Any = OnnxExporterError) -> NoReturn:
    """Refuse to export, naming the line and what to do."""
    lines = () if place is None else (("at", place),)
    raise explained(kind, words, lines=lines, fix=fix)
