"""Losses, for files that give a loss."""

from __future__ import annotations

from typing import Any

from rushlight.onnx.graph import Edge, Graph
from rushlight.onnx.tables.table import unsupported, writes


def reduced(graph: Graph, edge: Edge, reduction: str) -> Edge:
    if reduction == "none":
        return edge
    return graph.reduce("ReduceMean" if reduction == "mean" else "ReduceSum", edge, None, False)


@writes("mse_loss l1_loss")
def distance(
    graph: Graph, input: Edge, target: Edge, *old: Any, reduction: str = "mean", weight: Any = None, **more: Any
) -> Edge:
    if weight is not None:
        unsupported(graph, "weight", "multiply the differences")
    apart = graph.add("Sub", input, graph.cast(target, input.dtype))
    sized = graph.add("Mul", apart, apart) if graph.name == "mse_loss" else graph.add("Abs", apart)
    return reduced(graph, sized, reduction)


@writes("cross_entropy nll_loss")
def cross_entropy(
    graph: Graph,
    input: Edge,
    target: Edge,
    weight: Edge | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Edge:
    if label_smoothing or target.dtype.kind not in "iu" or input.rank < 2:
        unsupported(graph, "soft targets or single samples", "write it with log_softmax and sum")
    kind = "SoftmaxCrossEntropyLoss" if graph.name == "cross_entropy" else "NegativeLogLikelihoodLoss"
    return graph.add(kind, input, target, weight, reduction=reduction, ignore_index=ignore_index)
