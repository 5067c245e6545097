"""torch.distributed.checkpoint.format_utils: checkpoints as single files of `torch.save`, and back."""

from __future__ import annotations

import os
from typing import Any

from rushlight.distributed.checkpoint.default_planner import _EmptyStateDictLoadPlanner
from rushlight.distributed.checkpoint.files import is_simple, save, simple_content
from rushlight.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from rushlight.distributed.checkpoint.planned import load_planned

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]


def dcp_to_torch_save(dcp_checkpoint_dir: str | os.PathLike, torch_save_path: str | os.PathLike) -> None:
    """Write the state of a checkpoint into one file."""
    import rushlight

    state: dict[str, Any] = {}
    if is_simple(dcp_checkpoint_dir):
        state = simple_content(os.fspath(dcp_checkpoint_dir), 0)
    else:
        load_planned(state, FileSystemReader(dcp_checkpoint_dir), _EmptyStateDictLoadPlanner(), None)
    rushlight.save(state, torch_save_path)


def torch_save_to_dcp(torch_save_path: str | os.PathLike, dcp_checkpoint_dir: str | os.PathLike) -> None:
    """Write the state of one file as a checkpoint."""
    import rushlight

    state = rushlight.load(torch_save_path, weights_only=False)
    save(state, storage_writer=FileSystemWriter(dcp_checkpoint_dir), no_dist=True)
