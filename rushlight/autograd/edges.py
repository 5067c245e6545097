"""Gradient edges: places in the graph, which stand for tensors that need not be kept alive."""

from __future__ import annotations

from typing import Any, NamedTuple

from rushlight.autograd.graph import AccumulateGrad, Node, accumulator, edge_of
from rushlight.core.object.tensor import Tensor


class GradientEdge(NamedTuple):
    """A node and the number of one of its outputs: where a tensor's gradient arrives."""

    node: Node
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge of a tensor's gradient; it takes the tensor's place in `autograd.grad` and `backward`."""
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients: set "
            "requires_grad, or compute it from something that does"
        )
    target = edge_of(tensor)
    node = accumulator(target)
    if node is None:
        # a view that was made while nothing was recorded, of a tensor that requires grad
        raise AssertionError("Expected gradient function to be set")
    return GradientEdge(node, tensor._output, node if isinstance(target, Tensor) else None)


def place_of(each: Tensor | GradientEdge) -> tuple[Node | Tensor, int]:
    """What the engine knows an edge by: leaves stand in it themselves."""
    if isinstance(each, Tensor):
        return each.grad_fn or each, each._output
    node = each.node
    return (node.variable if isinstance(node, AccumulateGrad) else node), each.output_nr


def described(each: Tensor | GradientEdge) -> tuple[tuple[int, ...], Any]:
    """The shape and NumPy dtype of the gradient that arrives there."""
    if isinstance(each, Tensor):
        return each._array.shape, each._array.dtype
    target, number = place_of(each)
    return (target._array.shape, target._array.dtype) if isinstance(target, Tensor) else target.outputs[number]


class Alias(Node):
    """Stands before a leaf for another tensor whose gradient is the leaf's."""

    def __init__(self, leaf: Tensor):
        self.edges = (leaf,)
        self.outputs = (described(leaf),)
        super().__init__()

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        return grads
