"""What families share: parameters brought to one shape, probabilities from logits and back."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from rushlight.core import dtypes
from rushlight.core.creation import tensor
from rushlight.core.tensor import Tensor
from rushlight.ops.broadcasting import broadcast_tensors


def broadcast_all(*values: Tensor | float) -> list[Tensor]:
    """Numbers and tensors as tensors of one shape and dtype."""
    for each in values:
        if not isinstance(each, (Tensor, Number)):
            raise ValueError(
                "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                "__torch_function__."
            )
    first = next((each for each in values if isinstance(each, Tensor)), None)
    kind = dtypes.default if first is None else first.dtype
    made = [each if isinstance(each, Tensor) else tensor(each, dtype=kind) for each in values]
    shape = made[0]._array.shape
    if all(each._array.shape == shape for each in made):
        return made
    return list(broadcast_tensors(*made))


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from their logits."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits from probabilities, which are kept away from 0 and 1."""
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


def clamp_probs(probs: Tensor) -> Tensor:
    eps = float(np.finfo(probs._array.dtype).eps)
    return probs.clamp(min=eps, max=1 - eps)


class lazy_property:
    """Computed when first asked for, and kept in the object."""

    def __init__(self, wrapped: Callable):
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__
        self.name = wrapped.__name__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        from rushlight.autograd.modes import enable_grad

        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.name, value)
        return value
