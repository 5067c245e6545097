"""Flat: the history of a gradient that does not depend on its input, so that its own gradient is zero."""

from __future__ import annotations

from rushlight.autograd.graph import Node, described
from rushlight.autograd.saved import reattach
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor


class Flat(Node):
    """Joins a gradient to an input it does not depend on."""

    def __init__(self, grad: Tensor, node: Node):
        kind = type(node).__name__
        if kind == "ReluBackward0":
            # torch computes it by the gradient of threshold, from the result: a further backward goes through relu
            self.edges, self.numbers = (node,), None
            self.shown = "ThresholdBackwardBackward0"
        else:
            self.edges = (node.edges[0],)
            self.numbers = None if node.numbers is None else (node.numbers[0],)
            self.shown = kind.removesuffix("0") + "Backward0"
        self.outputs = described((grad,))
        super().__init__()

    def name(self) -> str:
        """The name of torch's one op for the gradient."""
        return self.shown

    @staticmethod
    def behind(grad: Tensor | None, node: Node) -> Tensor | None:
        """The gradient with a history, if it has none."""
        if grad is None or grad.requires_grad or grad._array.dtype not in DIFFERENTIABLE:
            return grad
        return reattach(grad, Flat(grad, node), 0)

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        target, grad = self.edges[0], grads[0]
        if target is None or grad is None:
            return [None]
        if isinstance(target, Tensor):
            return [target.new_zeros(target.shape)]
        shape, kind = target.outputs[0 if self.numbers is None else self.numbers[0]]
        return [grad.new_zeros(shape, dtype=dtypes.from_numpy(kind))]
