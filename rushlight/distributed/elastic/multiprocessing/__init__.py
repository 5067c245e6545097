"""torch.distributed.elastic.multiprocessing: how a process of a job tells of its error, and words for its streams."""

from __future__ import annotations

import enum
import re
from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.core.surface.refusals import table, value_of
from rushlight.distributed.elastic.multiprocessing import errors
from rushlight.distributed.names import STARTING

__all__ = ["Std", "errors", "to_map"]

LEFT_OUT = table(
    """: DefaultLogsSpecs LogsDest LogsSpecs MultiprocessContext PContext ProcessFailure RunProcsResult SignalException
    SubprocessContext start_processes"""
)[""]
ONE, SEVERAL = r"^[0123]$", r"^(\d:[0123],)*(\d:[0123])$"


class Std(enum.IntFlag):
    """The streams of a process: none, its output, its errors, or both."""

    NONE = 0
    OUT = 1
    ERR = 2
    ALL = OUT | ERR

    @classmethod
    def from_str(cls, vm: str) -> Std | dict[int, Std]:
        """`3` for all processes, or `0:3,1:2` for each: what `--redirects` and `--tee` take."""
        if re.match(ONE, vm):
            return Std(int(vm))
        if re.match(SEVERAL, vm):
            return {int(rank): Std(int(word)) for rank, word in (each.split(":") for each in vm.split(","))}
        raise ValueError(f"{vm} does not match: <{ONE}> or <{SEVERAL}>")


def to_map(val_or_map: Std | dict[int, Std], local_world_size: int) -> dict[int, Std]:
    """The streams of every process; those that are not named have none."""
    if isinstance(val_or_map, Std):
        return dict.fromkeys(range(local_world_size), val_or_map)
    return {rank: val_or_map.get(rank, Std.NONE) for rank in range(local_world_size)}


def __getattr__(name: str) -> Any:
    if name not in LEFT_OUT:
        raise missing("torch.distributed.elastic.multiprocessing", name)
    return value_of(f"distributed.elastic.multiprocessing.{name}", LEFT_OUT[name], STARTING)
