"""`torch.ops.aten`: the functions of torch by the names of its inner library, each with its `default` form."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.ops.machine import inner, late
from rushlight.ops.machine.bind import namespace


class Packet:
    """A function with its forms, which are all the same one here."""

    def __init__(self, function: Any):
        self.default = self.Tensor = function
        self.__name__ = function.__name__

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.default(*arguments, **options)


def __getattr__(name: str) -> Packet:
    late.load()
    for place in ("", "nn.functional"):
        found = namespace(place).get(name)
        if found is not None:
            return Packet(found)
    if name in inner.__all__:
        return Packet(getattr(inner, name))
    raise missing("torch.ops.aten", name)
