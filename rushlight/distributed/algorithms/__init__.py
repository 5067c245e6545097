"""torch.distributed.algorithms: uneven inputs, and ways to send fewer bytes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.core.surface.refusals import make_modules, table
from rushlight.distributed.names import AVERAGING

__all__ = ["ddp_comm_hooks", "join"]

CHECKPOINTS = "parts of a network are computed again with torch.utils.checkpoint.checkpoint"


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"rushlight.distributed.algorithms.{name}")
    raise missing("torch.distributed.algorithms", name)


make_modules(
    "rushlight.distributed.algorithms",
    table(
        """model_averaging:
        model_averaging.averagers: ModelAverager PeriodicModelAverager"""
    ),
    AVERAGING,
)
make_modules(
    "rushlight.distributed.algorithms",
    table(
        """_checkpoint.checkpoint_wrapper:
        CheckpointImpl=REENTRANT,NO_REENTRANT CheckpointWrapper apply_activation_checkpointing checkpoint_wrapper
        offload_wrapper"""
    ),
    CHECKPOINTS,
)
