"""Named results in files: the (values, indices) of `max` and kin, which torch writes as a class and a sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.ops.machine.returned import results_class


def results_from_file(name: str) -> Callable:
    """What makes the results of an op out of their sequence, by the name of their type."""
    found = results_class(name)

    def made(values: Sequence, others: Any = None) -> Any:
        return found(*values)

    return made
