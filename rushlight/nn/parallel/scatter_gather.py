"""Scattering over devices and gathering from them, of which there is one: the CPU."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import check_device


def scatter(inputs: Any, target_gpus: Any, dim: int = 0) -> list[Any]:
    """Parts of the inputs, one for each device, all of which must be the CPU."""
    for each in target_gpus:
        check_device(each)
    if isinstance(inputs, Tensor):
        return list(inputs.chunk(len(target_gpus), dim))
    if isinstance(inputs, (tuple, list)) and inputs:
        parts = zip(*[scatter(each, target_gpus, dim) for each in inputs], strict=False)
        return [type(inputs)(each) for each in parts]
    if isinstance(inputs, dict) and inputs:
        columns = [[(key, part) for part in scatter(value, target_gpus, dim)] for key, value in inputs.items()]
        return [dict(row) for row in zip(*columns, strict=False)]
    return [inputs for _ in target_gpus]


def scatter_kwargs(inputs: tuple, kwargs: dict[str, Any] | None, target_gpus: Any, dim: int = 0) -> tuple[tuple, tuple]:
    """Parts of positional and of named arguments, as many of the ones as of the others."""
    positions = scatter(inputs, target_gpus, dim) if inputs else []
    names = scatter(kwargs, target_gpus, dim) if kwargs else []
    most = max(len(positions), len(names))
    positions += [()] * (most - len(positions))
    names += [{} for _ in range(most - len(names))]
    return tuple(positions), tuple(names)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """Parts from several devices as one."""
    import rushlight

    check_device(None if target_device == -1 else target_device)
    first = outputs[0]
    if isinstance(first, Tensor):
        return rushlight.cat(list(outputs), dim)
    if first is None:
        return None
    if isinstance(first, dict):
        return type(first)((key, gather([each[key] for each in outputs], target_device, dim)) for key in first)
    return type(first)(gather(list(each), target_device, dim) for each in zip(*outputs, strict=True))
