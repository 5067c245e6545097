"""DistributedDataParallel, which needs several processes."""

from __future__ import annotations

from typing import Any

from rushlight.nn.modules.module import Module


class DistributedDataParallel(Module):
    """A module whose gradients are averaged over processes: it comes with torch.distributed, which is not here yet."""

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        raise RuntimeError(
            "DistributedDataParallel is not in Rushlight yet: it comes with torch.distributed. In one process call the "
            "module itself"
        )
