"""Twins: the formulas of methods that native loops stand in for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rushlight.native import extension

Formula = TypeVar("Formula", bound=Callable)

TWINS: set[Callable] = set()


def twin(step_for: Formula) -> Formula:
    """Let native code take the steps of a formula, which it knows by its qualified name."""
    if extension is not None:
        extension.connect_step(step_for)
        TWINS.add(step_for)
    return step_for
