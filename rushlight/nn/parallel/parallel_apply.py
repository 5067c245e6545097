"""Calls of several modules: one after the other, each on its own inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.nn.modules.module import Module


def parallel_apply(
    modules: Sequence[Module], inputs: Sequence[Any], kwargs_tup: Sequence[Any] | None = None, devices: Any = None
) -> list[Any]:
    """What each module gives for its inputs."""
    if len(modules) != len(inputs):
        raise AssertionError(f"The number of modules {len(modules)} is not equal to the number of inputs {len(inputs)}")
    options = kwargs_tup or [{}] * len(modules)
    given = [each if isinstance(each, (list, tuple)) else (each,) for each in inputs]
    return [module(*args, **kwargs) for module, args, kwargs in zip(modules, given, options, strict=True)]
