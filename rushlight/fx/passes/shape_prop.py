"""Shapes: run a graph once and note on each node what came out."""

from __future__ import annotations

from typing import Any, NamedTuple

import rushlight
from rushlight.core.object.tensor import Tensor
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What is known of a tensor besides its elements."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    """What is known of a tensor."""
    formats = (rushlight.contiguous_format, rushlight.channels_last, rushlight.channels_last_3d)
    found = next((each for each in formats if fits(result, each)), None)
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), found, False, {})


def fits(tensor: Tensor, form: Any) -> bool:
    dims = {rushlight.channels_last: 4, rushlight.channels_last_3d: 5}.get(form)
    return (dims is None or tensor.dim() == dims) and tensor.is_contiguous(memory_format=form)


class ShapeProp(Interpreter):
    """Runs a graph on example inputs and writes `tensor_meta` on its nodes."""

    def __init__(self, gm: Any, fake_mode: Any = None):
        super().__init__(gm)
        self.extra_traceback = False

    def run_node(self, n: Node) -> Any:
        """The value of a node, whose shape is noted."""
        try:
            result = super().run_node(n)
        except Exception as error:
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        found = False

        def extract(value: Any) -> Any:
            nonlocal found
            if isinstance(value, Tensor):
                found = True
                return _extract_tensor_metadata(value)
            return value

        meta = map_aggregate(result, extract)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph on these inputs."""
        return super().run(*args)
