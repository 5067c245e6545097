"""`torch.return_types`: the classes of named results, such as the (values, indices) of `max`."""

from __future__ import annotations

from rushlight.ops.machine.returned import results_class

__all__: list[str] = []


def __getattr__(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    return results_class(name)
