"""Tensors that are made inside of the network with sizes that change; others are constants of the file."""

from __future__ import annotations

from typing import Any

from rushlight.onnx.graph import INT64, Edge, Graph
from rushlight.onnx.tables.table import unsupported, writes


def filled(graph: Graph, value: Any) -> Edge:
    dtype = graph.result.dtype
    return graph.add("Expand", graph.tensor(value, dtype), graph.ints(graph.result.shape))


@writes("zeros zeros_like new_zeros empty empty_like new_empty zero")
def zeros(graph: Graph, *sizes: Any, **options: Any) -> Edge:
    return filled(graph, 0)


@writes("ones ones_like new_ones")
def ones(graph: Graph, *sizes: Any, **options: Any) -> Edge:
    return filled(graph, 1)


@writes("full full_like new_full")
def full(graph: Graph, size: Any, fill_value: Any, **options: Any) -> Edge:
    return filled(graph, fill_value)


@writes("fill")
def fill(graph: Graph, input: Edge, value: Any) -> Edge:
    return filled(graph, value)


@writes("copy")
def copy(graph: Graph, input: Edge, src: Edge, non_blocking: bool = False) -> Edge:
    return graph.add("Expand", graph.cast(src, input.dtype), graph.ints(graph.result.shape))


@writes("arange")
def arange(graph: Graph, *bounds: Any, start: Any = None, end: Any = None, step: Any = None, **options: Any) -> Edge:
    given = [*bounds, *[each for each in (start, end, step) if each is not None]]
    if len(given) == 1:
        given = [0, *given]
    dtype = graph.result.dtype
    begin, stop, by = [graph.tensor(each, dtype) for each in (*given, 1)[:3]]
    return graph.add("Range", begin, stop, by)


@writes("rand randn rand_like randn_like")
def random(graph: Graph, *sizes: Any, **options: Any) -> Edge:
    kind = "RandomNormalLike" if graph.name.startswith("randn") else "RandomUniformLike"
    return graph.add(kind, filled(graph, 0))


@writes("one_hot")
def one_hot(graph: Graph, tensor: Edge, num_classes: int = -1) -> Edge:
    if num_classes == -1:
        unsupported(graph, "a number of classes that follows the values", "give num_classes")
    ends = graph.constant([0, 1], INT64)
    return graph.add("OneHot", tensor, graph.constant(num_classes, INT64), ends, axis=-1, dtype=INT64)
