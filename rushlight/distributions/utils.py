"""What families share: parameters brought to one shape, probabilities from logits and back."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from rushlight.autograd.modes import enable_grad, state
from rushlight.core.creation.creation import tensor
from rushlight.core.creation.ranges import tril_indices
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.random.sampling import randn
from rushlight.ops.shape.broadcasting import broadcast_tensors

euler_constant = 0.57721566490153286060
limits: Callable[[dtypes.dtype], Any] = functools.cache(dtypes.finfo)


def broadcast_all(*values: Tensor | float) -> tuple[Tensor, ...]:
    """Numbers and tensors as tensors of one shape; a number takes the dtype of the first tensor."""
    tensors = tuple([each for each in values if isinstance(each, Tensor)])
    if len(tensors) < len(values):
        tensors = with_numbers(values, tensors[0].dtype if tensors else dtypes.default)
    shape = tensors[0]._array.shape
    if all([each._array.shape == shape for each in tensors]):
        return tensors
    return tuple(broadcast_tensors(*tensors))


def with_numbers(values: tuple, kind: dtypes.dtype) -> tuple[Tensor, ...]:
    """The values as tensors, numbers among them in this dtype."""
    for each in values:
        if not isinstance(each, (Tensor, int, float)):
            raise ValueError(
                "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                f"__torch_function__. One of them is {type(each).__name__}."
            )
    return tuple([each if isinstance(each, Tensor) else tensor(each, dtype=kind) for each in values])


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from their logits."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits from probabilities, which are kept away from 0 and 1."""
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept away from 0 and 1 by as little as their dtype can tell."""
    eps = limits(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` dimensions."""
    return value.reshape((*value.shape[: value.dim() - dim], -1)).sum(-1) if dim else value


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The elements of each matrix on and below a diagonal, row by row."""
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    rows, columns = tril_indices(size, size, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Square matrices with these elements on and below a diagonal, row by row, and zeros above."""
    count = vec.shape[-1]
    # the number of elements as a quadratic in the size, solved for it
    odd = 1 + 2 * diag
    size = (math.sqrt(odd**2 + 8 * count + 4 * abs(diag) * (diag + 1)) - odd) / 2
    if abs(round(size) - size) > limits(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a square "
            "D x D matrix."
        )
    found = vec.new_zeros((*vec.shape[:-1], round(size), round(size)))
    rows, columns = tril_indices(round(size), round(size), diag)
    found[..., rows, columns] = vec
    return found


def _standard_normal(shape: Any, dtype: dtypes.dtype | None = None, device: Any = None) -> Tensor:
    return randn(shape, dtype=dtype, device=device)


# programs with families of their own call these two by torch's private names
_sum_rightmost = sum_rightmost


class lazy_property:
    """Computed when first asked for, and kept in the object."""

    def __init__(self, wrapped: Callable):
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__
        self.name = wrapped.__name__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if state.grad:
            value = self.wrapped(instance)
        else:
            with enable_grad():
                value = self.wrapped(instance)
        instance.__dict__[self.name] = value
        return value


__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]
