"""`nn.parallel`: DataParallel, which on the CPU calls its module, and names that need several processes."""

from __future__ import annotations

import sys
from typing import Any

from rushlight.core.surface.refusals import make_modules, names_refused, table
from rushlight.nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel", *"DistributedDataParallel gather parallel_apply replicate scatter".split()]
WHY = "there is one device and one process; call the module itself, or DataParallel, which does"
NAMES = table(
    """
    : DistributedDataParallel gather parallel_apply replicate scatter
    comm: broadcast broadcast_coalesced gather reduce_add reduce_add_coalesced scatter
    data_parallel:
    distributed: DistributedDataParallel
    parallel_apply: get_a_var parallel_apply
    replicate: replicate
    scatter_gather: gather is_namedtuple scatter scatter_kwargs
    """
)


class DataParallel(Module):
    """Calls the module it is given: there is one device, the CPU. Names of parameters begin with `module.`"""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.dim = dim
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Any = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """The module of the inputs: there is one device, the CPU."""
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*given, **(module_kwargs or {}))


__getattr__ = names_refused("rushlight.nn.parallel", NAMES[""], WHY)
# packages import these by the paths of torch's files
make_modules("rushlight.nn.parallel", {place: names for place, names in NAMES.items() if place}, WHY, __all__)
vars(sys.modules["rushlight.nn.parallel.data_parallel"]).update(DataParallel=DataParallel, data_parallel=data_parallel)
