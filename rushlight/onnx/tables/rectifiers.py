"""Activations of nn.functional."""

from __future__ import annotations

import math

from rushlight.onnx.graph import BOOL, Edge, Graph, axis_of
from rushlight.onnx.tables.table import writes


@writes("relu")
def relu(graph: Graph, input: Edge, inplace: bool = False) -> Edge:
    return graph.add("Relu", input)


@writes("elu celu")
def elu(graph: Graph, input: Edge, alpha: float = 1.0, inplace: bool = False) -> Edge:
    return graph.add("Elu" if graph.name == "elu" else "Celu", input, alpha=float(alpha))


@writes("leaky_relu")
def leaky_relu(graph: Graph, input: Edge, negative_slope: float = 0.01, inplace: bool = False) -> Edge:
    return graph.add("LeakyRelu", input, alpha=float(negative_slope))


@writes("selu")
def selu(graph: Graph, input: Edge, inplace: bool = False) -> Edge:
    return graph.add("Selu", input)


@writes("softsign")
def softsign(graph: Graph, input: Edge) -> Edge:
    value = graph.cast(input, graph.result.dtype)
    return graph.add("Div", value, graph.add("Add", graph.add("Abs", value), graph.constant(1, value.dtype)))


@writes("prelu")
def prelu(graph: Graph, input: Edge, weight: Edge) -> Edge:
    if input.rank > 2 and weight.shape != [1]:
        weight = graph.reshape(weight, [-1] + [1] * (input.rank - 2))
    return graph.add("PRelu", input, weight)


@writes("gelu")
def gelu(graph: Graph, input: Edge, approximate: str = "none", *, _stacklevel: int = 3) -> Edge:
    def number(value: float) -> Edge:
        return graph.constant(value, input.dtype)

    if approximate == "tanh":
        cube = graph.add("Mul", input, graph.add("Mul", input, input))
        inner = graph.add("Add", input, graph.add("Mul", cube, number(0.044715)))
        curve = graph.add("Tanh", graph.add("Mul", inner, number(math.sqrt(2 / math.pi))))
    else:
        curve = graph.add("Erf", graph.add("Mul", input, number(math.sqrt(0.5))))
    half = graph.add("Mul", input, number(0.5))
    return graph.add("Mul", half, graph.add("Add", curve, number(1)))


def smooth_relu(graph: Graph, input: Edge) -> Edge:
    """log(1 + exp(x)) that does not overflow; ONNX Runtime has none for doubles."""
    small = graph.add("Exp", graph.add("Neg", graph.add("Abs", input)))
    rest = graph.add("Log", graph.add("Add", small, graph.constant(1, input.dtype)))
    return graph.add("Add", graph.add("Relu", input), rest)


@writes("silu")
def silu(graph: Graph, input: Edge, inplace: bool = False) -> Edge:
    return graph.add("Mul", input, graph.add("Sigmoid", input))


@writes("mish")
def mish(graph: Graph, input: Edge, inplace: bool = False) -> Edge:
    return graph.add("Mul", input, graph.add("Tanh", smooth_relu(graph, input)))


@writes("softplus")
def softplus(graph: Graph, input: Edge, beta: float = 1, threshold: float = 20) -> Edge:
    factor = graph.constant(beta, input.dtype)
    scaled = input if beta == 1 else graph.add("Mul", input, factor)
    found = smooth_relu(graph, scaled)
    found = found if beta == 1 else graph.add("Div", found, factor)
    large = graph.add("Greater", scaled, graph.constant(threshold, input.dtype), dtype=BOOL)
    return graph.where(large, input, found)


@writes("logsigmoid")
def logsigmoid(graph: Graph, input: Edge) -> Edge:
    return graph.add("Neg", smooth_relu(graph, graph.add("Neg", input)))


@writes("hardtanh relu6")
def hardtanh(graph: Graph, input: Edge, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Edge:
    if graph.name == "relu6":
        min_val, max_val = 0.0, 6.0
    return graph.add("Clip", input, graph.constant(min_val, input.dtype), graph.constant(max_val, input.dtype))


@writes("hardsigmoid hardswish")
def hardsigmoid(graph: Graph, input: Edge, inplace: bool = False) -> Edge:
    shifted = graph.add("Add", input, graph.constant(3, input.dtype))
    limits = graph.constant(0, input.dtype), graph.constant(6, input.dtype)
    found = graph.add("Div", graph.add("Clip", shifted, *limits), graph.constant(6, input.dtype))
    return found if graph.name == "hardsigmoid" else graph.add("Mul", input, found)


@writes("tanhshrink")
def tanhshrink(graph: Graph, input: Edge) -> Edge:
    value = graph.cast(input, graph.result.dtype)
    return graph.add("Sub", value, graph.add("Tanh", value))


@writes("softshrink hardshrink")
def shrink(graph: Graph, input: Edge, lambd: float = 0.5) -> Edge:
    return graph.add("Shrink", input, lambd=float(lambd), bias=float(lambd) if graph.name == "softshrink" else 0.0)


@writes("threshold")
def threshold(graph: Graph, input: Edge, threshold: float, value: float, inplace: bool = False) -> Edge:
    above = graph.add("Greater", input, graph.constant(threshold, input.dtype), dtype=BOOL)
    return graph.where(above, input, graph.constant(value, input.dtype))


@writes("glu")
def glu(graph: Graph, input: Edge, dim: int = -1) -> Edge:
    axis = axis_of(input, dim)
    half = graph.result.shape[axis]
    one, two = graph.add("Split", input, graph.ints([half, half]), axis=axis, outputs=2)
    return graph.add("Mul", one, graph.add("Sigmoid", two))
