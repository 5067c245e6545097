"""Checks: under TORCH_DISTRIBUTED_DEBUG=DETAIL each collective is compared with what the others are about to do."""

from __future__ import annotations

import enum
import os
import pickle
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rushlight.distributed import waiting
from rushlight.distributed.failures import DistBackendError
from rushlight.errors import location

if TYPE_CHECKING:
    from rushlight.core.object.tensor import Tensor
    from rushlight.distributed.process_group import ProcessGroup

# what a process says of its collective has to fit: longer lines are cut
LENGTH = 1024


class DebugLevel(enum.IntEnum):
    """How much is checked: `DETAIL` compares every collective."""

    OFF = 0
    INFO = 1
    DETAIL = 2

    def __str__(self) -> str:
        return f"DebugLevel.{self.name}"


level = DebugLevel.OFF


def get_debug_level() -> DebugLevel:
    """How much is checked, as TORCH_DISTRIBUTED_DEBUG says."""
    return level


def set_debug_level(debug_level: DebugLevel) -> None:
    """Check more or less, in groups that are made from now on."""
    global level
    level = DebugLevel(debug_level)


def set_debug_level_from_env() -> None:
    """Check as much as TORCH_DISTRIBUTED_DEBUG says."""
    word = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper() or "OFF"
    if word not in DebugLevel.__members__:
        raise RuntimeError(
            f"Invalid value for environment variable: TORCH_DISTRIBUTED_DEBUG={word}; it is OFF, INFO or DETAIL"
        )
    set_debug_level(DebugLevel[word])


class Fingerprint(NamedTuple):
    """What a process is about to do, and where."""

    name: str
    shapes: tuple
    kinds: tuple
    detail: str
    line: str

    def __str__(self) -> str:
        tensors = [f"{kind} {list(shape)}" for kind, shape in zip(self.kinds, self.shapes, strict=True)]
        return f"{self.name}({', '.join(tensors)}){' ' + self.detail if self.detail else ''} at {self.line}"


class Checks:
    """Compares what the processes of one group are about to do, by a communicator of its own."""

    def __init__(self, group: ProcessGroup):
        self.group = group
        self.comm = group.comm.Dup()

    def compare(self, name: str, tensors: Sequence[Tensor], detail: str) -> None:
        """Raise an error in every process if not all are about to do the same."""
        own = Fingerprint(
            name,
            tuple(tuple(each.shape) for each in tensors),
            tuple(str(each.dtype) for each in tensors),
            detail,
            location.describe(location.user_line())[:200],
        )
        all_of_them = self.exchange(own)
        for index, other in enumerate(all_of_them):
            if other[:4] != own[:4]:
                raise DistBackendError(mismatch(self.group.ranks, self.group._rank, index, own, other))
        first = all_of_them[0]
        for index, other in enumerate(all_of_them):
            if other[:4] != first[:4]:
                raise DistBackendError(mismatch(self.group.ranks, 0, index, first, other))

    def exchange(self, own: Fingerprint) -> list[Fingerprint]:
        from rushlight.distributed.work import Work

        content = pickle.dumps(tuple(own))[:LENGTH].ljust(LENGTH, b"\0")
        together = np.empty((self.group._size, LENGTH), np.uint8)
        work = Work(self.group, own.name, self.comm.Iallgather(np.frombuffer(content, np.uint8), together))
        waiting.complete(work, self.group.timeout)
        return [Fingerprint(*pickle.loads(each.tobytes())) for each in together]


def mismatch(ranks: Sequence[int], one: int, two: int, first: Fingerprint, second: Fingerprint) -> str:
    named = [("collective", 0), ("shapes", 1), ("dtypes", 2), ("options", 3)]
    differ = ", ".join(word for word, field in named if first[field] != second[field])
    return (
        f"Detected mismatch between collectives on ranks: {differ} differ\n"
        f"  rank {ranks[one]}: {first}\n  rank {ranks[two]}: {second}"
    )


def checks_for(group: ProcessGroup) -> Any:
    """What compares the group's collectives; None if that was not asked for."""
    return Checks(group) if level is DebugLevel.DETAIL and group._size > 1 else None
