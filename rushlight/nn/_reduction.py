"""How losses are reduced, as numbers: torch's helpers for the losses of other packages."""

from __future__ import annotations

from rushlight.errors.warning import warn
from rushlight.ops.losses.loss_reduction import older_words

NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """The number of a reduction."""
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return 1
    if reduction not in NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction: write 'none', 'mean' or 'sum'")
    return NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that torch's older arguments mean."""
    return older_words(size_average, reduce, emit_warning)


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """Its number."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
