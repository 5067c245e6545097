"""torch.distributed.optim: an optimizer whose memory is spread over the processes."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["DistributedOptimizer", "PostLocalSGDOptimizer", "ZeroRedundancyOptimizer"]


def __getattr__(name: str) -> Any:
    from rushlight.core.surface.refusals import value_of
    from rushlight.distributed.names import AVERAGING, INSIDE, RPC

    reasons = {
        "DistributedOptimizer": RPC,
        "PostLocalSGDOptimizer": AVERAGING,
        "_apply_optimizer_in_backward": INSIDE,
    }
    if name not in reasons:
        raise missing("torch.distributed.optim", name)
    return value_of(f"distributed.optim.{name}", (), reasons[name])
