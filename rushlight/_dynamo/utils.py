"""What programs read of torch's compiler: counts, which stay at nothing."""

from __future__ import annotations

import collections
import sys
from typing import Any

__all__ = ["compile_times", "counters", "disable_cache_limit", "is_compile_supported"]
counters: collections.defaultdict[str, collections.Counter] = collections.defaultdict(collections.Counter)


def compile_times(repr: str = "str", aggregate: bool = False) -> Any:
    """What was compiled in how long: nothing."""
    return "" if repr == "str" else ([], [])


def disable_cache_limit() -> Any:
    """For the time of a with statement, a function may be compiled anew as often as it likes."""
    from rushlight._dynamo import config

    settings: Any = config
    return settings.patch(recompile_limit=sys.maxsize, accumulated_recompile_limit=sys.maxsize)


def is_compile_supported(device_type: str) -> bool:
    """False: nothing is compiled."""
    return False
