"""Communication hooks: other ways for DistributedDataParallel to average a bucket of gradients."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.core.surface.refusals import make_modules, table
from rushlight.distributed.names import AVERAGING

__all__ = ["default_hooks", "powerSGD_hook"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"rushlight.distributed.algorithms.ddp_comm_hooks.{name}")
    raise missing("torch.distributed.algorithms.ddp_comm_hooks", name)


make_modules(
    "rushlight.distributed.algorithms.ddp_comm_hooks",
    table("post_localSGD_hook: PostLocalSGDState post_localSGD_hook"),
    AVERAGING,
)
