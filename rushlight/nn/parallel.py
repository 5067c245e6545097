"""`nn.parallel`: DataParallel, which on the CPU calls its module."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import names_of
from rushlight.nn.modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """Calls the module it is given: there is one device, the CPU. Names of parameters begin with `module.`"""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.dim = dim
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


__getattr__ = names_of("rushlight.nn.parallel")
