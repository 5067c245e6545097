"""torch.distributed.checkpoint: each process writes its file, and the whole counts at once; or by plans, as torch."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.core.surface.refusals import make_modules, table, value_of
from rushlight.distributed.checkpoint.api import CheckpointException
from rushlight.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
from rushlight.distributed.checkpoint.files import load, save
from rushlight.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from rushlight.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    TensorStorageMetadata,
)
from rushlight.distributed.checkpoint.planner import LoadPlan, LoadPlanner, ReadItem, SavePlan, SavePlanner, WriteItem
from rushlight.distributed.checkpoint.state_dict_loader import load_state_dict
from rushlight.distributed.checkpoint.state_dict_saver import async_save, save_state_dict
from rushlight.distributed.checkpoint.storage import StorageReader, StorageWriter
from rushlight.distributed.names import CHECKPOINTS

__all__ = [
    "BytesStorageMetadata",
    "CheckpointException",
    "ChunkStorageMetadata",
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "FileSystemReader",
    "FileSystemWriter",
    "LoadPlan",
    "LoadPlanner",
    "Metadata",
    "ReadItem",
    "SavePlan",
    "SavePlanner",
    "StorageReader",
    "StorageWriter",
    "TensorStorageMetadata",
    "WriteItem",
    "async_save",
    "load",
    "load_state_dict",
    "save",
    "save_state_dict",
]

LEFT_OUT = table(": HuggingFaceStorageReader HuggingFaceStorageWriter load_sharded_optimizer_state_dict")[""]


def __getattr__(name: str) -> Any:
    if name not in LEFT_OUT:
        raise missing("torch.distributed.checkpoint", name)
    return value_of(f"distributed.checkpoint.{name}", LEFT_OUT[name], CHECKPOINTS)


make_modules(
    "rushlight.distributed.checkpoint",
    table(
        """
    _consolidate_hf_safetensors: consolidate_safetensors_files consolidate_safetensors_files_on_every_rank
    hf_storage: HuggingFaceStorageReader HuggingFaceStorageWriter
    optimizer: load_sharded_optimizer_state_dict
    planner_helpers: _create_read_items _create_write_items
    """
    ),
    CHECKPOINTS,
)
