"""Accelerators: an op with a native kernel gets a native function, which goes to the Python one where it declines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rushlight.native import core
from rushlight.ops.machine.layouts import wraps_number
from rushlight.ops.machine.signature import REQUIRED, Parameter

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

# how a function runs its op: in the order of `Entry` in native/plan.h
CALL, INPLACE, EITHER, COMPOSED = range(4)


def has_kernel(op: Op) -> bool:
    """Whether native code knows the op."""
    return core is not None and core.has_kernel(op.name)


def accelerated(op: Op, function: Callable, entry: int, parameters: list[Parameter]) -> Callable:
    """The native form of an op's public function, where there is a kernel; else the function itself."""
    if not has_kernel(op):
        return function
    described = tuple(
        [
            (
                each.name,
                REQUIRED if each.default is REQUIRED else (each.default,),
                each.keyword,
                each.annotation == "Size",
                entry != COMPOSED and place in op.tensors,
                entry != COMPOSED and place in op.lists,
                entry != COMPOSED and place in op.optional,
                entry != COMPOSED and place in op.strict,
                entry != COMPOSED and wraps_number(op, place),
            )
            for place, each in enumerate(parameters)
        ]
    )
    several = op.returns is not None
    return core.Function(op, op.name, function, entry, described, op.node_positions, op.is_view, several)
