"""Captured tensors: those that were there before a function transform began, to which nobody may write inside of it."""

from __future__ import annotations

from rushlight.core.memory.lifted import Lifted
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.ops.machine.transforms.level import DIFFERENTIATING, Level, whole_of


def refuse_captured(target: Tensor, name: str) -> None:
    """Refuse a write to what the innermost transform that differentiates has captured."""
    for level in reversed(state.levels):
        if level.kind in DIFFERENTIATING:
            if is_captured(level, target):
                raise captured(name)
            return


def refuse_new_data(target: Tensor) -> None:
    """Refuse other memory by `.data =`: to every tensor where something is differentiated, in `vmap` to a batch."""
    advice = "write into it with copy_()"
    if any([level.kind in DIFFERENTIATING and level.transforms for level in state.levels]):
        raise RuntimeError(f"mutating directly with `.data` inside functorch transform is not allowed. {advice}")
    if type(target._array) is Lifted and target._array.level.transforms:
        raise RuntimeError(f"mutating directly with `.data` under vmap transform is not allowed. {advice}")


def is_captured(level: Level, target: Tensor) -> bool:
    """Whether a tensor, or what it is a view of, was there before a level began."""
    array = target._array
    if type(array) is Lifted and (not array.level.alive or array.level.number >= level.number):
        # its own, or of a level inside of it
        return False
    whole = whole_of(target)
    return (target if whole is None else whole)._born < level.birth


def captured(name: str) -> RuntimeError:
    return RuntimeError(
        "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place "
        f"operation (aten::{name.lstrip('_')}_) that would mutate a captured Tensor. This is not supported; "
        "please rewrite the function being transformed to explicitly accept the mutated Tensor(s) as inputs."
    )
