"""torch.distributed.nn: collectives that gradients flow through."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.distributed.nn import functional
from rushlight.distributed.nn.functional import (
    all_gather,
    all_reduce,
    all_to_all,
    all_to_all_single,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
)

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "functional",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]


def __getattr__(name: str) -> Any:
    if name == "RemoteModule":
        from rushlight.core.surface.refusals import value_of
        from rushlight.distributed.names import RPC

        return value_of("distributed.nn.RemoteModule", (), RPC)
    raise missing("torch.distributed.nn", name)
