"""`torch.ops.aten`: the functions of torch by the names of its inner library, each with the forms that torch has."""

from __future__ import annotations

import functools
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine import inner, late
from rushlight.ops.machine.bind import namespace


@functools.cache
def overloads() -> dict[str, list[str]]:
    """The forms of functions that have more than one."""
    from rushlight.ops.machine.aten_overloads import OVERLOADS

    found: dict[str, list[str]] = {}
    for each in OVERLOADS.split():
        name, _, forms = each.partition(":")
        found.setdefault(name, []).extend(forms.split(","))
    return found


def function(name: str) -> Any:
    """The function that stands for one of the inner library; None if there is none."""
    late.load()
    for place in ("", "nn.functional"):
        found = namespace(place).get(name)
        if found is not None:
            return found
    for place in ("linalg", "fft", "special"):
        found = namespace(place).get(name.removeprefix(f"{place}_")) if name.startswith(f"{place}_") else None
        if found is not None:
            return found
    if name in inner.__all__:
        return getattr(inner, name)
    import rushlight

    found = getattr(Tensor, name, None) or getattr(rushlight, name, None)
    if isinstance(found, type) or name.startswith("__") or getattr(found, "left_out", False):
        return None
    return found if callable(found) else None


def packet(name: str) -> Any:
    """A function with its forms; None if there is none."""
    from rushlight._ops import OpOverloadPacket

    found = function(name)
    if found is None:
        return None
    return OpOverloadPacket(f"aten::{name}", name, found, list(overloads().get(name, ["default", "out"])))
