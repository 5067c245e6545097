"""torch.distributed.elastic.multiprocessing: how a process of a job tells of its error."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.distributed.elastic.multiprocessing import errors

__all__ = ["errors"]


def __getattr__(name: str) -> Any:
    from rushlight.core.surface.refusals import value_of
    from rushlight.distributed.names import STARTING

    if name not in ("Std", "start_processes"):
        raise missing("torch.distributed.elastic.multiprocessing", name)
    return value_of(f"distributed.elastic.multiprocessing.{name}", (), STARTING)
