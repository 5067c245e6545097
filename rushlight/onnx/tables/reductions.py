"""Reductions: sums, means, extremes, softmax, order."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.onnx.graph import BOOL, INT64, Edge, Graph, axes_of, axis_of
from rushlight.onnx.tables.table import numpy_dtype, unsupported, writes

SIMPLE = {
    "sum": "ReduceSum",
    "mean": "ReduceMean",
    "amax": "ReduceMax",
    "amin": "ReduceMin",
    "logsumexp": "ReduceLogSumExp",
}


@writes(" ".join(SIMPLE) + " prod nanmean")
def reduction(graph: Graph, input: Edge, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Edge:
    if graph.name == "nanmean":
        unsupported(graph, "values that are left out", "use torch.where")
    edge = graph.cast(input, graph.result.dtype)
    kind = SIMPLE.get(graph.name, "ReduceProd")
    return graph.reduce(kind, edge, axes_of(input, dim), keepdim)


@writes("max min")
def extreme(graph: Graph, input: Edge, dim: Any = None, keepdim: bool = False) -> Any:
    if isinstance(dim, Edge):
        dtype = graph.result.dtype
        return graph.add("Max" if graph.name == "max" else "Min", graph.cast(input, dtype), graph.cast(dim, dtype))
    values = graph.reduce("ReduceMax" if graph.name == "max" else "ReduceMin", input, axes_of(input, dim), keepdim)
    if dim is None:
        return values
    kind = "ArgMax" if graph.name == "max" else "ArgMin"
    return values, graph.add(kind, input, axis=axis_of(input, dim), keepdims=int(keepdim), dtype=INT64)


@writes("argmax argmin")
def place(graph: Graph, input: Edge, dim: Any = None, keepdim: bool = False) -> Edge:
    edge = graph.reshape(input, [-1]) if dim is None else input
    axis = 0 if dim is None else axis_of(input, dim)
    keep = int(keepdim and dim is not None)
    kind = "ArgMax" if graph.name == "argmax" else "ArgMin"
    found = graph.add(kind, edge, axis=axis, keepdims=keep, dtype=INT64)
    return graph.reshape(found, graph.result.shape) if dim is None else found


@writes("any all")
def truth(graph: Graph, input: Edge, dim: Any = None, keepdim: bool = False) -> Edge:
    held = graph.cast(graph.cast(input, BOOL), np.int32)
    if dim is not None and dim in ((), []):
        return graph.cast(input, BOOL)
    kind = "ReduceMax" if graph.name == "any" else "ReduceMin"
    return graph.cast(graph.reduce(kind, held, axes_of(input, dim), keepdim), BOOL)


@writes("var std")
def spread(
    graph: Graph, input: Edge, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Edge:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    axes = axes_of(input, dim)
    away = 1 if correction is None else correction
    away = int(unbiased) if isinstance(unbiased, bool) else away
    centred = graph.add("Sub", input, graph.reduce("ReduceMean", input, axes, True))
    squares = graph.add("Mul", centred, centred)
    total = graph.reduce("ReduceSum", squares, axes, keepdim)
    count = graph.cast(counted(graph, input, axes), input.dtype)
    found = graph.add("Div", total, graph.add("Sub", count, graph.constant(away, input.dtype)) if away else count)
    return graph.add("Sqrt", found) if graph.name == "std" else found


def counted(graph: Graph, input: Edge, axes: list[int] | None) -> Edge:
    """How many elements a reduction takes together."""
    sizes = [(input.shape or [])[axis] for axis in (range(input.rank) if axes is None else axes)]
    if all(isinstance(each, int) for each in sizes):
        return graph.constant(int(np.prod(sizes)), INT64)
    if None in sizes:
        shape = graph.add("Shape", input, dtype=INT64)
        picked = shape if axes is None else graph.add("Gather", shape, graph.constant(axes, INT64), axis=0)
        return graph.reduce("ReduceProd", picked, [0], False)
    return graph.reduce("ReduceProd", graph.ints(sizes), [0], False)


@writes("norm linalg.vector_norm")
def norm(
    graph: Graph, input: Edge, p: Any = 2, dim: Any = None, keepdim: bool = False, *, ord: Any = None, dtype: Any = None
) -> Edge:
    order = p if ord is None else ord
    edge = graph.cast(input, graph.result.dtype)
    if order in ("fro", 2, 2.0, None):
        return graph.reduce("ReduceL2", edge, axes_of(input, dim), keepdim)
    if order in (1, 1.0):
        return graph.reduce("ReduceL1", edge, axes_of(input, dim), keepdim)
    if order in (float("inf"), float("-inf")):
        kind = "ReduceMax" if order > 0 else "ReduceMin"
        return graph.reduce(kind, graph.add("Abs", edge), axes_of(input, dim), keepdim)
    unsupported(graph, f"p={order}", "write it with pow and sum")


@writes("softmax log_softmax softmin")
def softmax(graph: Graph, input: Edge, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Edge:
    if dim is None:
        dim = 0 if input.rank in (0, 1, 3) else 1
    edge = graph.cast(input, graph.result.dtype)
    if graph.name == "softmin":
        edge = graph.add("Neg", edge)
    kind = "LogSoftmax" if graph.name == "log_softmax" else "Softmax"
    return graph.add(kind, edge, axis=axis_of(input, dim))


@writes("cumsum")
def cumsum(graph: Graph, input: Edge, dim: int, *, dtype: Any = None) -> Edge:
    edge = graph.cast(input, graph.result.dtype if dtype is None else numpy_dtype(dtype))
    return graph.add("CumSum", edge, graph.constant(axis_of(input, dim), INT64))


@writes("topk")
def topk(graph: Graph, input: Edge, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    return ordered(graph, input, graph.ints([k]), dim, largest)


@writes("sort argsort")
def sort(graph: Graph, input: Edge, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    count = graph.ints([(input.shape or [])[axis_of(input, dim)]])
    values, indices = ordered(graph, input, count, dim, descending)
    return indices if graph.name == "argsort" else (values, indices)


def ordered(graph: Graph, input: Edge, count: Edge, dim: int, largest: bool) -> tuple[Edge, Edge]:
    values, indices = graph.add("TopK", input, count, outputs=2, axis=axis_of(input, dim), largest=int(largest))
    indices.dtype = INT64
    return values, indices
