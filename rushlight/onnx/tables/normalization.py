"""Normalization over batches, layers, groups and channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.onnx.graph import Edge, Graph
from rushlight.onnx.tables.table import writes


def per_channel(graph: Graph, edge: Edge, rank: int) -> Edge:
    """Numbers of channels, laid along the second dimension."""
    return edge if rank <= 2 else graph.reshape(edge, [-1] + [1] * (rank - 2))


def standardized(graph: Graph, input: Edge, axes: Sequence[int], eps: float) -> Edge:
    """The input less its mean, over its deviation."""
    centred = graph.add("Sub", input, graph.reduce("ReduceMean", input, axes, True), shape=input.shape)
    variance = graph.reduce("ReduceMean", graph.add("Mul", centred, centred), axes, True)
    deviation = graph.add("Sqrt", graph.add("Add", variance, graph.constant(eps, input.dtype)))
    return graph.add("Div", centred, deviation, shape=input.shape)


def scaled(graph: Graph, edge: Edge, weight: Edge | None, bias: Edge | None) -> Edge:
    found = edge if weight is None else graph.add("Mul", edge, weight)
    return found if bias is None else graph.add("Add", found, bias)


@writes("batch_norm instance_norm")
def batch_norm(
    graph: Graph,
    input: Edge,
    running_mean: Edge | None = None,
    running_var: Edge | None = None,
    weight: Edge | None = None,
    bias: Edge | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
    use_input_stats: bool = False,
    cudnn_enabled: bool = False,
) -> Edge:
    rank = input.rank
    if graph.name == "instance_norm" and (use_input_stats or training or running_mean is None):
        found = standardized(graph, input, range(2, rank), eps)
    elif training or running_mean is None or running_var is None:
        found = standardized(graph, input, [0, *range(2, rank)], eps)
    else:
        channels = running_mean.shape or [1]
        scale = weight or graph.constant(np.ones(channels), input.dtype)
        shift = bias or graph.constant(np.zeros(channels), input.dtype)
        return graph.add("BatchNormalization", input, scale, shift, running_mean, running_var, epsilon=float(eps))
    parts = [each if each is None else per_channel(graph, each, rank) for each in (weight, bias)]
    return scaled(graph, found, *parts)


@writes("layer_norm")
def layer_norm(
    graph: Graph,
    input: Edge,
    normalized_shape: Any,
    weight: Edge | None = None,
    bias: Edge | None = None,
    eps: float = 1e-5,
    *more: Any,
) -> Edge:
    count = len(normalized_shape) if isinstance(normalized_shape, (list, tuple)) else 1
    if graph.opset >= 17 and weight is not None:
        return graph.add("LayerNormalization", input, weight, bias, axis=input.rank - count, epsilon=float(eps))
    return scaled(graph, standardized(graph, input, range(input.rank - count, input.rank), eps), weight, bias)


@writes("rms_norm")
def rms_norm(
    graph: Graph, input: Edge, normalized_shape: Any, weight: Edge | None = None, eps: float | None = None
) -> Edge:
    count = len(normalized_shape) if isinstance(normalized_shape, (list, tuple)) else 1
    axes = range(input.rank - count, input.rank)
    squares = graph.reduce("ReduceMean", graph.add("Mul", input, input), axes, True)
    small = float(np.finfo(np.float32).eps if eps is None else eps)
    root = graph.add("Sqrt", graph.add("Add", squares, graph.constant(small, input.dtype)))
    return scaled(graph, graph.add("Div", input, root), weight, None)


@writes("group_norm")
def group_norm(
    graph: Graph,
    input: Edge,
    num_groups: int,
    weight: Edge | None = None,
    bias: Edge | None = None,
    eps: float = 1e-5,
    *more: Any,
) -> Edge:
    batch, *_ = input.shape or [None]
    # zero keeps the batch's size, whatever it is
    grouped = graph.add("Reshape", input, graph.constant([0, num_groups, -1], np.int64))
    found = standardized(graph, Edge(grouped.name, grouped.dtype, [batch, num_groups, None]), [2], eps)
    shape = graph.add("Shape", input, dtype=np.int64)
    found = graph.add("Reshape", found, shape)
    parts = [each if each is None else per_channel(graph, each, input.rank) for each in (weight, bias)]
    return scaled(graph, found, *parts)


@writes("local_response_norm")
def local_response_norm(
    graph: Graph, input: Edge, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Edge:
    return graph.add("LRN", input, size=size, alpha=float(alpha), beta=float(beta), bias=float(k))
