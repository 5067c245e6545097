"""Modules made without drawing their first weights."""

from __future__ import annotations

import inspect
from typing import Any

from rushlight.nn.modules.module import Module
from rushlight.random import get_rng_state, set_rng_state

__all__ = ["skip_init"]


def skip_init(module_cls: type, *args: Any, **kwargs: Any) -> Any:
    """A module whose parameters are left to be loaded; the random numbers to come stay the same."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    state = get_rng_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        set_rng_state(state)
