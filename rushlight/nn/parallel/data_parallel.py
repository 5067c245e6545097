"""DataParallel: the module itself, since there is one device, the CPU."""

from __future__ import annotations

from typing import Any

from rushlight.nn.modules.module import Module


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
    """What the module gives for the inputs: there is one device.

    >>> torch.nn.parallel.data_parallel(torch.nn.Identity(), torch.ones(2))
    tensor([1., 1.])
    """
    given = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return module(*given, **(module_kwargs or {}))
