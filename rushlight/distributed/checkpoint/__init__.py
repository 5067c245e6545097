"""torch.distributed.checkpoint, in its simple form: each process writes its file, and the whole counts at once."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.core.surface.refusals import make_modules, table, value_of
from rushlight.distributed.checkpoint.files import load, save
from rushlight.distributed.names import CHECKPOINTS

__all__ = ["load", "save"]

LEFT_OUT = table(
    """: DefaultLoadPlanner DefaultSavePlanner FileSystemReader FileSystemWriter LoadPlanner SavePlanner StorageReader
    StorageWriter async_save load_state_dict save_state_dict"""
)[""]


def __getattr__(name: str) -> Any:
    if name not in LEFT_OUT:
        raise missing("torch.distributed.checkpoint", name)
    return value_of(f"distributed.checkpoint.{name}", LEFT_OUT[name], CHECKPOINTS)


make_modules(
    "rushlight.distributed.checkpoint",
    table(
        """
    default_planner: DefaultLoadPlanner DefaultSavePlanner
    filesystem: FileSystemReader FileSystemWriter
    format_utils: _EmptyStateDictLoadPlanner dcp_to_torch_save torch_save_to_dcp
    hf_storage: HuggingFaceStorageReader HuggingFaceStorageWriter
    metadata: Metadata
    optimizer: load_sharded_optimizer_state_dict
    state_dict:
    StateDictOptions get_model_state_dict get_optimizer_state_dict get_state_dict set_model_state_dict
    set_optimizer_state_dict set_state_dict
    state_dict_loader: _load_state_dict load
    stateful: Stateful
    """
    ),
    CHECKPOINTS,
)
