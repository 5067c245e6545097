"""Options of parameter groups as schedules read and write them: numbers, or tensors that nobody else shares."""

from __future__ import annotations

from typing import Any, TypeAlias

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer

Rate: TypeAlias = float | Tensor


def unshared(value: Any) -> Any:
    """A copy of a tensor; anything else as it is."""
    return value.clone() if isinstance(value, Tensor) else value


def current(optimizer: Optimizer, option: str = "lr") -> list[Any]:
    """An option of each group."""
    return [unshared(group[option]) for group in optimizer.param_groups]


def assign(group: dict[str, Any], option: str, value: Any) -> None:
    """Set an option; a tensor keeps its identity, since a program may hold it."""
    held = group[option]
    if isinstance(held, Tensor):
        held.fill_(value.item() if isinstance(value, Tensor) else value)
    else:
        group[option] = value


def one_per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A value for each group, from a list of them or from one for all."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        value = [value] * count
    elif len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups: {len(value)} given, {count} wanted"
        )
    return [unshared(each) for each in value]


def require_optimizer(optimizer: Any) -> None:
    """Refuse what has no groups to schedule."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
