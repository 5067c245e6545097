"""What modules pass on to the functions that make their tensors."""

from __future__ import annotations

from typing import Any

KNOWN = ("device", "dtype", "memory_format")


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """Device, dtype and memory format out of the keyword arguments of a module, which may have no others."""
    if kwargs is None:
        return {}
    own = dict(kwargs.get("factory_kwargs", {}))
    found = {name: value for name, value in kwargs.items() if name in KNOWN}
    unknown = [name for name in kwargs if name not in (*KNOWN, "factory_kwargs")]
    if unknown:
        raise TypeError(f"unexpected kwargs {set(unknown)}")
    for name in found:
        if name in own:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
    return own | found
