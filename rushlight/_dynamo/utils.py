"""What programs read of torch's compiler: counts, which stay at nothing."""

from __future__ import annotations

import collections
from typing import Any

__all__ = ["compile_times", "counters", "is_compile_supported"]
counters: collections.defaultdict[str, collections.Counter] = collections.defaultdict(collections.Counter)


def compile_times(repr: str = "str", aggregate: bool = False) -> Any:
    """What was compiled in how long: nothing."""
    return "" if repr == "str" else ([], [])


def is_compile_supported(device_type: str) -> bool:
    """False: nothing is compiled."""
    return False
