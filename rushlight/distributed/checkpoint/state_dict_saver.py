"""torch.distributed.checkpoint.state_dict_saver: `save` under its older names, and beside the training."""

from __future__ import annotations

import os
from concurrent.futures import Future
from typing import Any

from rushlight.distributed.checkpoint.files import save

__all__ = ["async_save", "save", "save_state_dict"]


def save_state_dict(
    state_dict: dict[str, Any],
    storage_writer: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
) -> Any:
    """`save` under its old name."""
    return save(
        state_dict, storage_writer=storage_writer, planner=planner, process_group=process_group, no_dist=no_dist
    )


def async_save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: Any = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
    **options: Any,
) -> Future:
    """`save` for programs that wait for it later; it is done when this returns."""
    future: Future = Future()
    future.set_result(
        save(
            state_dict,
            checkpoint_id=checkpoint_id,
            storage_writer=storage_writer,
            planner=planner,
            process_group=process_group,
            no_dist=no_dist,
        )
    )
    return future
