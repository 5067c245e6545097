"""torch.multiprocessing: Python's module, where tensors travel by shared memory, with `spawn`."""

from __future__ import annotations

import multiprocessing
import sys
from multiprocessing import *

from rushlight.multiprocessing.reductions import init_reductions
from rushlight.multiprocessing.spawn import (
    ENV_VAR_PARALLEL_START,
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

__all__ = ["set_sharing_strategy", "get_sharing_strategy", "get_all_sharing_strategies", *multiprocessing.__all__]

if sys.platform in ("darwin", "win32"):
    _all_sharing_strategies = {"file_system"}
    _sharing_strategy = "file_system"
else:
    _all_sharing_strategies = {"file_descriptor", "file_system"}
    _sharing_strategy = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """The ways to share memory that torch has on this system."""
    return _all_sharing_strategies


def get_sharing_strategy() -> str:
    """What `set_sharing_strategy` was given last."""
    return _sharing_strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Note a way to share memory; files without a name are shared by their descriptors, whatever it is."""
    global _sharing_strategy
    if new_strategy not in _all_sharing_strategies:
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}, expected one of {_all_sharing_strategies}")
    _sharing_strategy = new_strategy
