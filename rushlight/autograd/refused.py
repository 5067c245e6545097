"""Refused nodes: of ops that torch records but has no derivative for."""

from __future__ import annotations

from rushlight.autograd.graph import OpNode
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained


class RefusedNode(OpNode):
    """The node of an in-place form that has no derivative, of an op that has one."""

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        name = self.op.name
        raise explained(
            NotImplementedError,
            f"the derivative for 'inplace version of {name}' is not implemented.",
            fix=f"write y = y.{name}() in place of y.{name}_()",
        )

    def apply_wanted(self, grads: list[Tensor | None], wanted: list[bool]) -> list[Tensor | None]:
        return self.apply(grads)


class UnderivableNode(OpNode):
    """The node of an op that has no derivative in any form."""

    inner_name: str

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
