"""torch.distributed.checkpoint.state_dict_loader: `load` under its older names."""

from __future__ import annotations

from typing import Any

from rushlight.distributed.checkpoint.files import group_of, load
from rushlight.distributed.checkpoint.planned import load_planned

__all__ = ["load", "load_state_dict"]


def load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
) -> None:
    """`load` under its old name."""
    load(state_dict, storage_reader=storage_reader, planner=planner, process_group=process_group, no_dist=no_dist)


def _load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
) -> None:
    """`load` by a plan, whatever the folder holds."""
    load_planned(state_dict, storage_reader, planner, group_of(process_group, no_dist))
