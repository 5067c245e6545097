"""Agreement: whether all processes have the same network, and if not, which parameter differs and where."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.object.tensor import Tensor

if TYPE_CHECKING:
    from rushlight.distributed.process_group import ProcessGroup


def gathered(value: Any, group: ProcessGroup) -> list[Any]:
    from rushlight.distributed.objects import all_gather_object

    found: list[Any] = [None] * group.size()
    all_gather_object(found, value, group)
    return found


def check_shapes(named: Sequence[tuple[str, Tensor]], group: ProcessGroup) -> None:
    """All processes must have parameters of the same names, shapes and dtypes."""
    everywhere = gathered([(name, tuple(each.shape), str(each.dtype)) for name, each in named], group)
    first = everywhere[0]
    for number, other in enumerate(everywhere):
        rank, origin = group.ranks[number], group.ranks[0]
        for one, two in zip(first, other, strict=False):
            if one != two:
                raise RuntimeError(
                    f"DistributedDataParallel expects the same model in all processes, but parameter {one[0]} is "
                    f"{one[2]} {list(one[1])} on rank {origin}, and rank {rank} has {two[0]}, {two[2]} {list(two[1])}"
                )
        if len(first) != len(other):
            more, rank_with = (first, origin) if len(first) > len(other) else (other, rank)
            extra = more[min(len(first), len(other))][0]
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank {origin} has {len(first)} params, while rank "
                f"{rank} has {len(other)}: only rank {rank_with} has {extra}"
            )


def check_values(named: Sequence[tuple[str, Tensor]], group: ProcessGroup) -> None:
    """All processes must have equal parameters, where none are sent."""
    everywhere = gathered([digest(each) for _, each in named], group)
    for number, other in enumerate(everywhere):
        for (name, _), one, two in zip(named, everywhere[0], other, strict=True):
            if one != two:
                raise RuntimeError(
                    f"DistributedDataParallel(init_sync=False) expects equal parameters, but {name} of rank "
                    f"{group.ranks[number]} differs from that of rank {group.ranks[0]}\n"
                    "  fix: leave init_sync out, or seed all processes alike before the model is made"
                )


def digest(tensor: Tensor) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(tensor._array).tobytes(), digest_size=16).digest()
