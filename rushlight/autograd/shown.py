"""What a node shows of its saved values: torch's `_saved_self` and kin."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.graph import OpNode
from rushlight.autograd.saved import SavedTensor


def saved_value(node: OpNode, name: str) -> Any:
    """The value behind `_saved_x`, or the SavedTensor behind `_raw_saved_x`."""
    raw = name.startswith("_raw_")
    wanted = name.removeprefix("_raw").removeprefix("_saved_")
    wanted = "input" if wanted == "self" else wanted
    if wanted in node.plan.names:
        place = node.plan.names.index(wanted)
        if raw:
            return SavedTensor(node, place)
        return node.value_at(place)
    raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")
