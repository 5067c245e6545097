"""Sequences: embeddings, recurrent layers, attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.onnx.graph import BOOL, INT64, Edge, Graph
from rushlight.onnx.tables.table import unsupported, writes

# the places of torch's gates in ONNX's order: input, output, forget, cell; update, reset, new
ORDERS = {4: (0, 3, 1, 2), 3: (1, 0, 2), 1: (0,)}


@writes("embedding")
def embedding(graph: Graph, input: Edge, weight: Edge, *options: Any, max_norm: Any = None, **more: Any) -> Edge:
    """The function of nn.functional takes indices first, the one of torch the table."""
    if max_norm is not None:
        unsupported(graph, "max_norm", "scale the table once, before the export")
    indices, table = (input, weight) if input.dtype.kind in "iu" else (weight, input)
    return graph.add("Gather", table, indices, axis=0)


def gates(graph: Graph, edge: Edge, count: int, size: int) -> Edge:
    """Weights or biases with the gates in ONNX's order."""
    if count == 1:
        return edge
    parts = graph.add("Split", edge, graph.constant([size] * count, INT64), axis=0, outputs=count)
    return graph.add("Concat", *[parts[place] for place in ORDERS[count]], axis=0)


def layer(graph: Graph, kind: str, count: int, tensors: list[Edge], backwards: bool, **options: Any) -> list[Edge]:
    """One layer in one direction: its outputs, its last state and, of an LSTM, its last cell."""
    states = 2 if kind == "LSTM" else 1
    input, *rest = tensors
    before, (weight, recurrent, *more) = rest[:states], rest[states:]
    if len(more) in (1, 3):
        unsupported(graph, "proj_size", "put a linear layer behind the LSTM")
    size = (before[0].shape or [])[-1]
    assert isinstance(size, int)
    biases = None
    if more:
        biases = graph.add("Concat", *[gates(graph, each, count, size) for each in more], axis=0)
        biases = graph.unsqueeze(biases, 0)
    given = [
        input,
        graph.unsqueeze(gates(graph, weight, count, size), 0),
        graph.unsqueeze(gates(graph, recurrent, count, size), 0),
        biases,
        None,
        *[graph.unsqueeze(each, 0) for each in before],
    ]
    direction = "reverse" if backwards else "forward"
    found = graph.add(kind, *given, outputs=1 + states, hidden_size=size, direction=direction, **options)
    return [graph.squeeze(found[0], 1), *[graph.squeeze(each, 0) for each in found[1:]]]


def run(
    graph: Graph, kind: str, count: int, tensors: list[Edge], sizes: Any, backwards: bool, **options: Any
) -> list[Edge]:
    if sizes is not None:
        unsupported(graph, "a packed sequence", "give the padded sequence and take the states at its ends")
    if graph.name.endswith("_step") or tensors[0].rank == 2:
        return step(graph, kind, count, tensors, options)
    return layer(graph, kind, count, tensors, backwards, **options)


def step(graph: Graph, kind: str, count: int, tensors: list[Edge], options: dict[str, Any]) -> list[Edge]:
    """A cell: a layer over a sequence of one."""
    input, *rest = tensors
    found = layer(graph, kind, count, [graph.unsqueeze(input, 0), *rest], False, **options)
    return [graph.squeeze(found[0], 0), *found[1:]]


@writes("_lstm_layer _lstm_step")
def lstm(graph: Graph, tensors: list[Edge], sizes: Any = None, backwards: bool = False) -> list[Edge]:
    return run(graph, "LSTM", 4, tensors, sizes, backwards)


@writes("_gru_layer _gru_step")
def gru(graph: Graph, tensors: list[Edge], sizes: Any = None, backwards: bool = False) -> list[Edge]:
    return run(graph, "GRU", 3, tensors, sizes, backwards, linear_before_reset=1)


@writes("_rnn_layer _rnn_step")
def rnn(
    graph: Graph, tensors: list[Edge], sizes: Any = None, backwards: bool = False, relu: bool = False
) -> list[Edge]:
    return run(graph, "RNN", 1, tensors, sizes, backwards, activations=["Relu" if relu else "Tanh"])


@writes("_attention")
def attention(
    graph: Graph,
    tensors: list[Edge],
    allowed: Edge | None = None,
    noise: Edge | None = None,
    causal: bool = False,
    scale: float = 1.0,
    steps: Any = None,
) -> Edge:
    query, key, value, *added = tensors
    dtype = query.dtype
    if noise is not None:
        unsupported(graph, "dropout", "call model.eval() before the export")
    order = [*range(key.rank - 2), key.rank - 1, key.rank - 2]
    scores = graph.add("MatMul", graph.add("Mul", query, graph.constant(scale, dtype)), graph.transpose(key, order))
    if added:
        scores = graph.add("Add", scores, graph.cast(added[0], dtype))
    hidden = [] if allowed is None else [graph.cast(allowed, BOOL)]
    if causal:
        hidden.append(earlier(graph, query, key))
    lowest = graph.constant(-np.inf, dtype)
    for each in hidden:
        scores = graph.where(each, scores, lowest)
    weights = graph.add("Softmax", scores, axis=-1)
    for each in hidden:
        # a query that may see nothing gets zeros
        weights = graph.where(each, weights, graph.constant(0, dtype))
    return graph.add("MatMul", weights, value)


def earlier(graph: Graph, query: Edge, key: Edge) -> Edge:
    """Which keys come no later than a query."""
    sizes = [(query.shape or [])[-2], (key.shape or [])[-2]]
    if all(isinstance(each, int) for each in sizes):
        return graph.constant(np.tri(*sizes, dtype=bool), BOOL)
    ones = graph.add("Expand", graph.constant(1, np.float32), graph.ints(sizes))
    return graph.cast(graph.add("Trilu", ones, upper=0), BOOL)
