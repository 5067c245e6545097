"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from rushlight.core.object.attributes import set_data
from rushlight.core.object.tensor import Tensor
from rushlight.ops.shape.joining import cat

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flat, one after the other; the history is kept."""
    return cat([each.reshape(-1) for each in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Make the parameters views of parts of one vector."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for each in parameters:
        end = start + each.numel()
        set_data(each, vec[start:end].view_as(each))
        start = end
