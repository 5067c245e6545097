"""torch.distributed.checkpoint.utils: what planners of packages take from there."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.core.surface.refusals import table, value_of
from rushlight.distributed.checkpoint.api import WRAPPED_EXCEPTION, CheckpointException, _wrap_exception
from rushlight.distributed.checkpoint.metadata import STATE_DICT_TYPE, MetadataIndex
from rushlight.distributed.names import CHECKPOINTS

__all__ = ["STATE_DICT_TYPE", "WRAPPED_EXCEPTION", "CheckpointException", "_wrap_exception", "find_state_dict_object"]

LEFT_OUT = table(": _DistWrapper _get_failure_dict find_tensor_shard")[""]


def find_state_dict_object(state_dict: STATE_DICT_TYPE, index: MetadataIndex) -> Any:
    """The value that an index names; a tensor is whole, so that its offset can only be the beginning."""
    if index.fqn not in state_dict:
        raise ValueError(f"Could not find FQN: '{index.fqn}'")
    return state_dict[index.fqn]


def __getattr__(name: str) -> Any:
    if name not in LEFT_OUT:
        raise missing("torch.distributed.checkpoint.utils", name)
    return value_of(f"distributed.checkpoint.utils.{name}", LEFT_OUT[name], CHECKPOINTS)
