"""Products of matrices."""

from __future__ import annotations

from typing import Any

from rushlight.onnx.graph import Edge, Graph
from rushlight.onnx.tables.table import writes


@writes("linear")
def linear(graph: Graph, input: Edge, weight: Edge, bias: Edge | None = None) -> Edge:
    if input.rank == 2 and weight.rank == 2:
        return graph.add("Gemm", input, weight, bias, transB=1)
    found = graph.add("MatMul", input, graph.transpose(weight, range(weight.rank)[::-1]))
    return found if bias is None else graph.add("Add", found, bias)


@writes("matmul mm bmm mv dot")
def matmul(graph: Graph, input: Edge, other: Edge) -> Edge:
    return graph.add("MatMul", input, other)


@writes("addmm addmv baddbmm")
def addmm(graph: Graph, input: Edge, left: Edge, right: Edge, *, beta: Any = 1, alpha: Any = 1) -> Edge:
    found = graph.add("MatMul", left, right)
    if alpha != 1:
        found = graph.add("Mul", found, graph.tensor(alpha, found.dtype))
    if beta != 1:
        input = graph.add("Mul", input, graph.tensor(beta, found.dtype))
    return graph.add("Add", found, input)


@writes("outer ger")
def outer(graph: Graph, input: Edge, vec2: Edge) -> Edge:
    dtype = graph.result.dtype
    return graph.add("Mul", graph.unsqueeze(graph.cast(input, dtype), 1), graph.unsqueeze(graph.cast(vec2, dtype), 0))


@writes("einsum")
def einsum(graph: Graph, equation: str, *operands: Any) -> Edge:
    given = operands[0] if operands and isinstance(operands[0], (list, tuple)) else operands
    return graph.add("Einsum", *given, equation=equation.replace(" ", ""))
