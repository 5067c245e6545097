"""`nn.attention`: which of several algorithms computes attention. There is one here, which saves memory by itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from rushlight.core.surface.lazy import names_of

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(IntEnum):
    """torch's algorithms; each gives the same numbers."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextlib.contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """Takes the choice and computes as always: on the CPU there is one algorithm."""
    chosen = [backends] if isinstance(backends, SDPBackend) else list(backends)
    if not all(isinstance(each, SDPBackend) for each in chosen):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    yield


__getattr__ = names_of("rushlight.nn.attention", ("bias", "flex_attention"))
