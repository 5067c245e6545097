"""The order in memory of the weights of convolutions."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.attributes import set_data
from rushlight.nn.modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def convert_conv2d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """Lay out the weights of all two-dimensional convolutions in a module as said: `torch.channels_last`."""
    return convert(module, ("Conv2d", "ConvTranspose2d"), memory_format)


def convert_conv3d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """Lay out the weights of all three-dimensional convolutions in a module as said: `torch.channels_last_3d`."""
    return convert(module, ("Conv3d", "ConvTranspose3d"), memory_format)


def convert(module: Module, names: tuple[str, ...], memory_format: Any) -> Module:
    for each in module.modules():
        if any(kind.__name__ in names for kind in type(each).__mro__):
            weight: Any = each.weight
            set_data(weight, weight.detach().clone(memory_format=memory_format))
    return module
