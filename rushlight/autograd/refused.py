"""Refused nodes: of ops that torch records but has no derivative for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.autograd.graph import OpNode
from rushlight.core.object.tensor import Tensor
from rushlight.errors import location
from rushlight.errors.explained import explained

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Plan


class RefusedNode(OpNode):
    """The node of an in-place form that has no derivative, of an op that has one."""

    by_formulas = False

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        name = self.op.name
        raise explained(
            NotImplementedError,
            f"the derivative for 'inplace version of {name}' is not implemented.",
            fix=f"write y = y.{name}() in place of y.{name}_()",
        )

    def apply_wanted(self, grads: list[Tensor | None], wanted: list[bool]) -> list[Tensor | None]:
        return self.apply(grads)


class RealNode(OpNode):
    """The node of an op whose derivative torch has for real numbers only; in place it does not look."""

    inner_name: str

    def __init__(self, plan: Plan, arguments: tuple, results: tuple[Tensor, ...]):
        if results[0]._array.dtype.kind == "c":
            raise explained(
                RuntimeError,
                f"{self.inner_name} does not support automatic differentiation for outputs with complex dtype.",
                fix="its real and imaginary parts have gradients: call it for x.real and x.imag, or x.detach()",
            )
        super().__init__(plan, arguments, results)
        # one frame further than the constructor looks
        self.place = location.user_line(4)


class UnderivableNode(OpNode):
    """The node of an op that has no derivative in any form."""

    inner_name: str
    by_formulas = False
    runs_at_once = True

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        raise RuntimeError(
            f"derivative for aten::{self.inner_name} is not implemented. detach() that input if no gradient should "
            "flow there."
        )

    def apply_wanted(self, grads: list[Tensor | None], wanted: list[bool]) -> list[Tensor | None]:
        return self.apply(grads)


class UnderivableWrite(UnderivableNode):
    """The same in place, which torch names with its underscore."""

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        raise RuntimeError(
            f"derivative for aten::{self.inner_name}_ is not implemented. detach() the tensor before it is written to "
            "if no gradient should flow there."
        )
