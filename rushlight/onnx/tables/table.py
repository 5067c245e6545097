"""The table of translations: by the name of a call, a function with torch's parameters that adds the nodes for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from rushlight.onnx.errors import UnsupportedOperatorError, refuse
from rushlight.onnx.graph import Edge, Graph

Translation = Callable[..., Edge | Sequence[Edge] | None]
TABLE: dict[str, Translation] = {}


def writes(names: str) -> Callable[[Translation], Translation]:
    """Put a translation into the table, under names that are separated by spaces."""

    def decorate(translation: Translation) -> Translation:
        TABLE.update(dict.fromkeys(names.split(), translation))
        return translation

    return decorate


def unsupported(graph: Graph, what: str, fix: str) -> NoReturn:
    """Refuse a form of a call that ONNX does not have."""
    words = f"Exporting the operator '{graph.name}' to ONNX is not supported with {what}"
    refuse(words, graph.place, fix, UnsupportedOperatorError)


def common_dtype(*operands: Any) -> np.dtype:
    """The dtype that operands are computed in, tensors and numbers, by torch's promotion."""
    from rushlight import result_type, tensor

    stand_ins = [stand_in(each) if isinstance(each, Edge) else each for each in operands]
    found = stand_ins[0]
    for each in stand_ins[1:]:
        found = tensor(0, dtype=result_type(found, each)).expand(max(rank(found), rank(each)) * (1,))
    if isinstance(found, (int, float)):
        found = tensor(found)
    return found._array.dtype


def rank(value: Any) -> int:
    return value.dim() if hasattr(value, "dim") else 0


def stand_in(edge: Edge) -> Any:
    """A tensor of the edge's dtype, with dimensions if it has some: numbers weigh less."""
    from rushlight import as_tensor

    return as_tensor(np.zeros((1,) * len(edge.shape or ()), edge.dtype))


def numpy_dtype(dtype: Any) -> np.dtype:
    """NumPy's name of a dtype of torch."""
    from rushlight import zeros

    return zeros(0, dtype=dtype)._array.dtype
