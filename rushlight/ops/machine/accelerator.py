"""Accelerators: an op with a native kernel gets a native function, which goes to the Python one where it declines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rushlight.core.surface.overriding import overridable
from rushlight.native import extension
from rushlight.ops.machine.layouts import wraps_number
from rushlight.ops.machine.option_kinds import is_real
from rushlight.ops.machine.signature import REQUIRED, Parameter

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

# how a function runs its op: in the order of `Entry` in native/plan.h
CALL, INPLACE, EITHER, COMPOSED = range(4)


def has_kernel(op: Op) -> bool:
    """Whether native code knows the op."""
    return extension is not None and extension.has_kernel(op.name)


def described(op: Op, parameters: list[Parameter], composed: bool = False) -> tuple | None:
    """What native code wants to know of each parameter, for all forms of an op; None where there is none."""
    if extension is None:
        return None
    return tuple(
        [
            (
                each.name,
                REQUIRED if each.default is REQUIRED else (each.default,),
                each.keyword,
                each.annotation == "Size",
                not composed and place in op.tensors,
                not composed and place in op.lists,
                not composed and place in op.optional,
                not composed and place in op.strict,
                not composed and wraps_number(op, place),
                not composed and is_real(each),
            )
            for place, each in enumerate(parameters)
        ]
    )


def accelerated(op: Op, function: Callable, entry: int, parameters: tuple | None) -> Callable:
    """The native form of an op's public function, where it has a kernel or calls its body; else the function itself."""
    if parameters is None or (entry != CALL and not has_kernel(op)):
        return overridable(function)
    several = op.returns is not None
    return extension.Function(op, op.name, function, entry, parameters, op.node_positions, op.is_view, several)
