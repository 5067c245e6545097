"""Pinned memory: what a loader would do for an accelerator, if there was one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.utils.data._utils.collate import rebuilt_mapping, rebuilt_sequence


def pin_memory(data: Any, device: Any = None) -> Any:
    """Call `pin_memory` of everything in a batch that has it; tensors refuse, since nothing needs it."""
    if isinstance(data, Tensor) or hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return rebuilt_mapping(data, lambda: {key: pin_memory(each, device) for key, each in data.items()})
    if isinstance(data, tuple):
        pinned = [pin_memory(each, device) for each in data]
        return type(data)(*pinned) if hasattr(data, "_fields") else type(data)(pinned)
    if isinstance(data, Sequence):
        return rebuilt_sequence(data, lambda: [pin_memory(each, device) for each in data])
    return data
